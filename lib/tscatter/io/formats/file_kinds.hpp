// Kinds of files, a row each: how their names end and how their bytes begin. The formats that
// tscatter writes are among them. The other kinds hold no tensors that it writes: unless the user
// says so, no result takes such a name or replaces such a file. A kind that becomes a format loses
// its row here.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

struct FileKind {
  std::string_view name;     // "an HDF5 file", for messages
  std::string_view endings;  // ".h5 .hdf5", the usual one first; empty: one has any
  std::string_view first_bytes = {};
  bool (*begins_as)(std::span<const std::byte> first_bytes) = nullptr;  // if first_bytes vary
  std::string_view advice = {};  // what to do where a tensor was expected: "gunzip unpacks it"
};

// A kind comes before other kinds that would also recognise its files.
std::span<const FileKind> file_kinds();

// REQUIRES: the format is written.
const FileKind& kind_of(const Format& format);

// ".gz" for "dir/x.npy.gz", but the whole of an index of shards; empty if the name has none.
std::string_view ending_of(std::string_view name);

// The kind with this ending, without regard to case; nullptr if there is none.
const FileKind* kind_with_ending(std::string_view ending);

// Whether a file with these first bytes may be of this kind.
bool begins_as(const FileKind& kind, std::span<const std::byte> first_bytes);

// ".h5"
std::string_view usual_ending(const FileKind& kind);

// What a file with these first bytes and this name is, at least first_bytes_size bytes or the whole
// file; nullptr if that is not known. Of kinds that begin alike the name decides.
const FileKind* kind_of_file(std::span<const std::byte> first_bytes, std::string_view name);

// What stands in the place of a file of the format, for messages: "a gzip file (gunzip unpacks
// it)", "a text file that begins \"Not Found\""; nullopt if it is not known, or begins like one.
std::optional<std::string> other_kind_in(const Source& file, const Format& format,
                                         std::string_view name);

// The same for any format and name, of an empty file, and of the kinds for which there is something
// to do: a Git LFS pointer, a web page, what is packed.
std::optional<std::string> advised_kind_in(const Source& file);

}  // namespace tscatter
