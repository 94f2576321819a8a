#include "mpi/ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

#include "process/errors.hpp"
#include "tscatter/core/parallel.hpp"

namespace tscatter::app {
namespace {

int exit_code_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& each) {
    return exit_code(each.kind());
  } catch (const Cancelled&) {
    return EXIT_FAILURE;
  } catch (const std::bad_alloc&) {
    return exit_code(ErrorKind::file);
  } catch (...) {
    return exit_code(ErrorKind::internal);
  }
}

// The ranks that share this one's memory.
int ranks_of_machine() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int size = 1;
  MPI_Comm_size(machine, &size);
  MPI_Comm_free(&machine);
  return size;
}

// Where each of the counted pieces begins.
std::vector<int> places_of(const std::vector<int>& counts) {
  std::vector<int> places(counts.size(), 0);
  for (std::size_t i = 1; i < counts.size(); ++i) places[i] = places[i - 1] + counts[i - 1];
  return places;
}

}  // namespace

Ranks::Ranks(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  cores_ = std::max(worker_count(0) / ranks_of_machine(), 1);
  prints_ = rank_ == 0;
}

Ranks::~Ranks() { MPI_Finalize(); }

void Ranks::agree(const std::exception_ptr& error, std::int64_t place) {
  constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
  const std::int64_t first = least(error ? place * size_ + rank_ : nowhere);
  if (first == nowhere) return;
  const auto speaker = static_cast<int>(first % size_);
  prints_ = rank_ == speaker;
  int code = prints_ ? exit_code_of(error) : 0;
  MPI_Bcast(&code, 1, MPI_INT, speaker, MPI_COMM_WORLD);
  if (prints_) std::rethrow_exception(error);
  throw FailedElsewhere(code);
}

std::int64_t Ranks::least(std::int64_t value) const {
  std::int64_t least = value;
  MPI_Allreduce(&value, &least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  return least;
}

void Ranks::broadcast(std::vector<std::int64_t>& values) const {
  auto count = static_cast<int>(values.size());
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  values.resize(static_cast<std::size_t>(count));
  MPI_Bcast(values.data(), count, MPI_INT64_T, 0, MPI_COMM_WORLD);
}

bool Ranks::exchange(std::span<const std::vector<std::byte>> parcels, bool has_failed,
                     std::vector<std::byte>& arrived) const {
  constexpr int failed = -1;
  std::vector<int> sent;
  std::vector<std::byte> bytes;
  for (const std::vector<std::byte>& parcel : parcels) {
    sent.push_back(has_failed ? failed : static_cast<int>(parcel.size()));
    bytes.insert(bytes.end(), parcel.begin(), parcel.end());
  }
  std::vector<int> received(sent.size(), 0);
  MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
  if (has_failed || std::ranges::count(received, failed) > 0) return false;
  const std::vector<int> from = places_of(sent);
  const std::vector<int> to = places_of(received);
  arrived.resize(static_cast<std::size_t>(to.back()) + static_cast<std::size_t>(received.back()));
  MPI_Alltoallv(bytes.data(), sent.data(), from.data(), MPI_BYTE, arrived.data(), received.data(),
                to.data(), MPI_BYTE, MPI_COMM_WORLD);
  return true;
}

}  // namespace tscatter::app
