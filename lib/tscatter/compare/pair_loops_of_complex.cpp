#include "tscatter/compare/block_tally.hpp"

namespace tscatter::pair_loops {

template PairLoop loop_of<std::complex<float>>();
template PairLoop loop_of<std::complex<double>>();

}  // namespace tscatter::pair_loops
