// For the tests of tscatter-mpi: each MPI of the machine, and a job in a directory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/process.hpp"
#include "io/files.hpp"

namespace tscatter::mpi {

// Programs by one MPI: its launcher, tscatter-mpi, that of many_lines.cpp, and tscatter-mpi with
// the faults of call_faults.cpp.
struct Mpi {
  std::string launcher;
  std::string program;
  std::string many_lines;
  std::string with_faults;
};

std::vector<Mpi> mpis();

std::string quoted(const Strings& words);

struct Ended {
  int exit_code;
  std::string out;
  std::string err;
};

// Rows of three float32 are summed into [5000, 3]: 60,128 bytes, 15 units of 4096.
struct Job {
  TemporaryDirectory directory;
  Strings call{"ScatterNDUpdate", "-d", "d.npy", "-i", "i.npy", "-u", "u.npy", "-r", "sum"};

  Job();

  // Of any two orders their sums differ.
  void write_updates() const;

  template <class IndexOf>
  void write_indices(const IndexOf& index_of, std::int64_t entries = 3000) const {
    std::string indices = "[";
    for (std::int64_t i = 0; i < entries; ++i)
      indices += (i == 0 ? "[" : ",[") + std::to_string(index_of(i)) + "]";
    write_file(directory / "i.json", indices + "]");
    run({"convert", "i.json", "i.npy", "--dtype", "int32"});
  }
  void copy_data() const;  // to o.npy

  Result run(const Strings& words) const { return Command(words).in(directory.path()).run(); }
  Strings with(const Strings& more) const { return joined(call, more); }
  Strings in_place() const {
    return {"ScatterNDUpdate", "-d", "o.npy", "-i",        "i.npy", "-u",
            "u.npy",           "-r", "sum",   "--in-place"};
  }
  bool has(const std::string& name) const { return std::filesystem::exists(directory / name); }
  std::string bytes(const std::string& name) const { return read_file(directory / name); }
  bool is_whole() const { return bytes("o.npy") == bytes("whole.npy"); }
  bool is_untouched() const { return bytes("o.npy") == bytes("d.npy"); }

  std::string line(const Mpi& mpi, int ranks, const Strings& words) const;
  Ended shell(const std::string& line) const;
  // Rank 0 in folder a, which has all files, and rank 1 in b, which has these.
  Ended in_two_folders(const Mpi& mpi, const Strings& files, const Strings& words) const;
  Ended mpi(const Mpi& mpi, int ranks, const Strings& words) const;
  // Many command lines in one MPI job, one after another: `out` has their exit codes.
  Ended lines(const Mpi& mpi, int ranks, const std::vector<Strings>& lines) const;

  static Strings joined(Strings words, const Strings& more);
};

// The lines of our own; launchers add theirs.
Strings said(const std::string& err);

// Kills one of the processes of this program that write this output, once it has begun.
void kill_one(const std::string& program, const std::string& output);

}  // namespace tscatter::mpi
