#include "io/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tscatter {

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tscatter-test-XXXXXX").native();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryDirectory::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().native());
  }
  std::ranges::sort(names);
  return names;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.native());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string bytes_at(const std::filesystem::path& path, std::int64_t offset, std::size_t count) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(offset);
  std::string bytes(count, '?');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) throw std::runtime_error("cannot write " + path.native());
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string npy_file(std::string_view header, std::string_view data, int version) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    file += static_cast<char>(header.size() >> (8 * i) & 0xFFU);
  }
  file += header;
  file += data;
  return file;
}

std::int64_t write_zeros(const std::filesystem::path& path, std::int64_t elements) {
  const std::string header =
      npy_file(fmt::format("{{'descr': '|u1', 'fortran_order': False, 'shape': ({},)}}", elements));
  write_file(path, header);
  const auto begin = static_cast<std::int64_t>(header.size());
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(begin + elements));
  return begin;
}

std::string little_endian(std::int32_t value) {
  std::string bytes(sizeof value, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(static_cast<std::uint32_t>(value) >> (8 * i));
  return bytes;
}

bool means_the_same_here(const std::string& file) {
  return std::endian::native == std::endian::little || file.find("/mark_") == std::string::npos;
}

std::string content(const Tensor& tensor) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.byte_size()));
  tensor.source().read(0, bytes);
  return text_of(bytes);
}

std::string native_content(const Tensor& tensor) {
  std::string bytes = content(tensor);
  if (tensor.type().is_native()) return bytes;
  const auto word = static_cast<std::ptrdiff_t>(tensor.type().word());
  for (auto at = bytes.begin(); at != bytes.end(); at += word) std::reverse(at, at + word);
  return bytes;
}

}  // namespace tscatter
