// A program that uses only the installed package: adds two updates to four elements, in place.
#include <cstdint>
#include <iostream>
#include <tscatter/tscatter.hpp>
#include <vector>

int main() {
  std::vector<float> data{1, 2, 3, 4};
  const std::vector<std::int32_t> indices{0, -1};
  const std::vector<float> updates{10, 20};
  tscatter::MemoryOutput output{data};
  tscatter::scatter_nd_update_15(tscatter::view(data, {4}), tscatter::view(indices, {2, 1}),
                                 tscatter::view(updates, {2}), tscatter::Reduction::sum, output);
  if (data == std::vector<float>{11, 2, 3, 24}) return 0;
  std::cerr << "expected 11 2 3 24, got";
  for (const float value : data) std::cerr << ' ' << value;
  std::cerr << '\n';
  return 1;
}
