// The system calls that a run makes for its files, and the errors that each may return.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace tscatter::faults {

// A call as the program makes it.
struct SystemCall {
  std::uint64_t number = 0;
  std::array<std::uint64_t, 6> arguments{};
  int thread = 0;          // in the order in which they were started
  std::int64_t place = 0;  // among the watched calls of its thread
  std::int64_t turn = 0;   // among the watched calls of its number, of all threads
};

// Whether the table has it. Others are not watched, such as those that wait for a thread.
bool is_known(const SystemCall& call);

// "pwrite64"; its number if it has no name here.
std::string name_of(const SystemCall& call);

// The errors to inject. EINTR only if Linux may interrupt the call.
std::span<const int> errors_of(const SystemCall& call);

// Whether it moves a number of bytes that may be smaller than what was asked for.
bool may_be_short(const SystemCall& call);

// Whether it takes effect even if it fails: close frees the descriptor all the same.
bool is_done_when_it_fails(const SystemCall& call);

// Whether it changes a file, a name or a property, so that a kill there is worth a run.
bool is_write_like(const SystemCall& call);

// Whether it is about memory or threads, not files.
bool is_about_memory(const SystemCall& call);

// Whether it makes a file without a name.
bool opens_unnamed(const SystemCall& call);

// Which argument is a path; -1: none.
int path_argument(const SystemCall& call);

// Its argument that counts bytes. REQUIRES: may_be_short(call).
constexpr std::size_t count_argument = 2;

}  // namespace tscatter::faults
