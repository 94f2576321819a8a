#include "tscatter/orders/element_judge_state.hpp"

namespace tscatter::orders {

template class ElementJudge<Bool>;
template class ElementJudge<std::int8_t>;
template class ElementJudge<std::int16_t>;
template class ElementJudge<std::int32_t>;
template class ElementJudge<std::int64_t>;
template class ElementJudge<std::uint8_t>;
template class ElementJudge<std::uint16_t>;
template class ElementJudge<std::uint32_t>;
template class ElementJudge<std::uint64_t>;

}  // namespace tscatter::orders
