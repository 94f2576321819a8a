#include "mpi/ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <limits>

#include "tscatter/core/parallel.hpp"

namespace tscatter::app {
namespace {

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
  begin();
}

Ranks::~Ranks() { MPI_Finalize(); }

void Ranks::begin() {
  prints_ = rank_ == 0;
  has_failed_ = false;
}

void Ranks::agree(const std::exception_ptr& error, std::int64_t place) {
  constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
  if (has_failed_ && error) std::rethrow_exception(error);
  const std::int64_t first = least(error ? place * size_ + rank_ : nowhere);
  if (first == nowhere) return;
  has_failed_ = true;
  prints_ = rank_ == first % size_;
  if (prints_) std::rethrow_exception(error);
  throw FailedElsewhere();
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

bool Ranks::exchange(std::span<const std::vector<std::byte>> parcels, bool ends,
                     std::vector<std::byte>& arrived) const {
  constexpr int ended = -1;
  std::vector<int> sent(static_cast<std::size_t>(size_), ended);
  std::vector<std::byte> bytes;
  for (std::size_t rank = 0; rank < sent.size() && !ends; ++rank) {
    sent[rank] = static_cast<int>(parcels[rank].size());
    bytes.insert(bytes.end(), parcels[rank].begin(), parcels[rank].end());
  }
  std::vector<int> received(sent.size(), 0);
  MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
  if (ends || std::ranges::count(received, ended) > 0) return false;
  const std::vector<int> from = places_of(sent);
  const std::vector<int> to = places_of(received);
  arrived.resize(static_cast<std::size_t>(to.back()) + static_cast<std::size_t>(received.back()));
  MPI_Alltoallv(bytes.data(), sent.data(), from.data(), MPI_BYTE, arrived.data(), received.data(),
                to.data(), MPI_BYTE, MPI_COMM_WORLD);
  return true;
}

}  // namespace tscatter::app
