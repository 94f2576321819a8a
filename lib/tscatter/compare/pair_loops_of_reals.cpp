#include "tscatter/compare/block_tally.hpp"

namespace tscatter::pair_loops {

template PairLoop loop_of<Half>();
template PairLoop loop_of<BFloat16>();
template PairLoop loop_of<float>();
template PairLoop loop_of<double>();

template PairLoop loop_of<std::complex<float>>();
template PairLoop loop_of<std::complex<double>>();

}  // namespace tscatter::pair_loops
