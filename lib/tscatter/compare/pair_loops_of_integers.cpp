#include "tscatter/compare/block_tally.hpp"

namespace tscatter::pair_loops {

template PairLoop loop_of<Bool>();
template PairLoop loop_of<std::int8_t>();
template PairLoop loop_of<std::int16_t>();
template PairLoop loop_of<std::int32_t>();
template PairLoop loop_of<std::int64_t>();
template PairLoop loop_of<std::uint8_t>();
template PairLoop loop_of<std::uint16_t>();
template PairLoop loop_of<std::uint32_t>();
template PairLoop loop_of<std::uint64_t>();

}  // namespace tscatter::pair_loops
