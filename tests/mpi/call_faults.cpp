// Stands between tscatter-mpi and MPI: names the calls of each rank, and lets one of them go wrong.
// Beginning and end of MPI are left alone: what becomes of those is the launcher's.
//   TSCATTER_MPI_CALLS=FILE                 rank r leaves the names of its calls in FILE.r
//   TSCATTER_MPI_FAULT="RANK CALL DEED"     the CALL-th call of a rank, from 0:
//     kill        the rank dies by SIGKILL before it
//     kill-after  or after it
//     fail        it fails, as MPI's own errors do
//     cut         the file i.npy is cut before it
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace {

struct Fault {
  int rank = -1;
  long call = -1;
  std::string deed;

  Fault() {
    const char* words = std::getenv("TSCATTER_MPI_FAULT");
    std::istringstream(words == nullptr ? "" : words) >> rank >> call >> deed;
  }
};

int own_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void note(const char* name) {
  const char* file = std::getenv("TSCATTER_MPI_CALLS");
  if (file == nullptr) return;
  std::ofstream(file + ("." + std::to_string(own_rank())), std::ios::app) << name << '\n';
}

// What is to happen at this call of the rank; "" for nothing.
std::string next_deed() {
  static const Fault fault;
  static long calls = 0;
  const bool is_met = own_rank() == fault.rank && calls++ == fault.call;
  return is_met ? fault.deed : "";
}

template <class Call>
int watched(const char* name, const Call& call) {
  note(name);
  const std::string deed = next_deed();
  if (deed == "kill") std::raise(SIGKILL);
  if (deed == "cut" && ::truncate("i.npy", 4096) != 0) std::abort();
  if (deed == "fail") {
    PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
  }
  const int result = call();
  if (deed == "kill-after") std::raise(SIGKILL);
  return result;
}

}  // namespace

extern "C" {

int MPI_Allreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return watched("MPI_Allreduce",
                 [&] { return PMPI_Allreduce(sent, received, count, type, op, comm); });
}

int MPI_Bcast(void* values, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return watched("MPI_Bcast", [&] { return PMPI_Bcast(values, count, type, root, comm); });
}

int MPI_Alltoall(const void* sent, int send_count, MPI_Datatype send_type, void* received,
                 int count, MPI_Datatype type, MPI_Comm comm) {
  return watched("MPI_Alltoall", [&] {
    return PMPI_Alltoall(sent, send_count, send_type, received, count, type, comm);
  });
}

int MPI_Alltoallv(const void* sent, const int send_counts[], const int send_places[],
                  MPI_Datatype send_type, void* received, const int counts[], const int places[],
                  MPI_Datatype type, MPI_Comm comm) {
  return watched("MPI_Alltoallv", [&] {
    return PMPI_Alltoallv(sent, send_counts, send_places, send_type, received, counts, places, type,
                          comm);
  });
}

}  // extern "C"
