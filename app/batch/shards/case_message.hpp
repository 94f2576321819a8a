// What processes that share the cases of a batch tell each other, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "batch/cases/case_result.hpp"
#include "batch/run/case_runner.hpp"

namespace tscatter::app {

// "Run this case."
struct CaseRequest {
  std::int64_t number = 0;  // of the case, by which the reply is known
  std::int64_t threads = 1;
  std::int64_t file = 0;  // of the batch, from 0
  std::int64_t line = 0;
  FailureWanted wanted = {};
  std::string defaults = {};  // the line of its file that gives them; empty: none
  std::string text = {};
};

// "This is what came of it." The result has no file, place and name: who asked has them.
struct CaseReply {
  std::int64_t number = 0;
  CaseResult result = {};
};

// Messages one after another.
void append(std::vector<std::byte>& to, const CaseRequest& request);
void append(std::vector<std::byte>& to, const CaseReply& reply);

// REQUIRES: the bytes are what append() has made, in a process of the same program.
std::vector<CaseRequest> requests_in(std::span<const std::byte> bytes);
std::vector<CaseReply> replies_in(std::span<const std::byte> bytes);

}  // namespace tscatter::app
