// A random call as a user would make it: operands in files, in archives and on the command line; a
// command line or a job; and the place of the result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/oracle.hpp"
#include "property/random.hpp"
#include "soak/child.hpp"

namespace tscatter::soak {

enum class Place { printed, npy, member, json, in_place };

struct SoakCase {
  oracle::Call call;
  std::optional<oracle::Refusal> refusal;
  Place place = Place::npy;
  oracle::Layout layout;  // of data as it is given, and so of the result
  Words words;            // the program and its arguments
  std::string input;      // the file that is stdin
};

// The names that a case uses in the working directory.
inline const std::string data_name = "data.npy";
inline const std::string output_name = "out.npy";
inline const std::string archive_name = "out.npz";
inline const std::string json_name = "out.json";

// Writes the operands into the working directory, which is empty.
SoakCase random_soak_case(property::Random& random, const std::string& program);

}  // namespace tscatter::soak
