// Runs the tests with either version of Catch2.
#define CATCH_CONFIG_RUNNER
#include <cstdlib>

#include "catch.hpp"

int main(int argc, char** argv) {
  ::unsetenv("GITHUB_ACTIONS");  // what tests run is no step of the workflow that they run in
  return Catch::Session().run(argc, argv);
}
