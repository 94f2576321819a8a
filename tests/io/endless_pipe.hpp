// For what is read from a pipe as it comes: a text without an end, and when it was refused.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <thread>

#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter {

struct Refused {
  std::string message;
  std::int64_t taken = 0;  // bytes
};

// What read(spool, pipe) says of `front`, and then `text` again and again.
template <class Read>
Refused refused_in_pipe(const std::string& front, const std::string& text, const Read& read) {
  constexpr std::int64_t most = 200'000'000;
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  Refused refused;
  std::thread writer([&] {
    const std::string* piece = front.empty() ? &text : &front;
    while (refused.taken < most) {
      const auto sent = ::send(ends[1], piece->data(), piece->size(), MSG_NOSIGNAL);
      if (sent < 0) break;
      refused.taken += sent;
      piece = &text;
    }
    ::close(ends[1]);
  });
  {
    const File pipe(ends[0], "x");
    Spool spool("/tmp", "x");
    refused.message = refusal([&] { read(spool, pipe); });
  }
  writer.join();
  return refused;
}

}  // namespace tscatter
