#include "tscatter/orders/element_judge_state.hpp"

namespace tscatter::orders {

template class ElementJudge<std::complex<float>>;
template class ElementJudge<std::complex<double>>;

}  // namespace tscatter::orders
