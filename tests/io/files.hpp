// For the io and app tests: temporary directories, whole files as text, the messages of refused
// calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  // The names in it, sorted.
  std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view text);

// A part of a file.
std::string bytes_at(const std::filesystem::path& path, std::int64_t offset, std::size_t count);

std::span<const std::byte> bytes_of(std::string_view text);
std::string text_of(std::span<const std::byte> bytes);

// A .npy file: the header's text as it is, without padding or line break, and the data.
std::string npy_file(std::string_view header, std::string_view data = {}, int version = 1);

// Makes a sparse .npy file of so many uint8 zeros; returns where its data begins.
std::int64_t write_zeros(const std::filesystem::path& path, std::int64_t elements);

std::string little_endian(std::int32_t value);

// Whether the file in testdata/npy means the same here as on the little-endian machine where it was
// made: a descr without '<' and '>' has the machine's own byte order.
bool means_the_same_here(const std::string& file);

// The elements in the order of the file.
std::string content(const Tensor& tensor);
// The same, each in the byte order of this machine.
std::string native_content(const Tensor& tensor);

// The message with which call() is refused; "accepted" if it is not.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace tscatter
