#include "tscatter/orders/element_judge_state.hpp"

namespace tscatter::orders {

template class ElementJudge<Half>;
template class ElementJudge<BFloat16>;
template class ElementJudge<float>;
template class ElementJudge<double>;
template class ElementJudge<std::complex<float>>;
template class ElementJudge<std::complex<double>>;

}  // namespace tscatter::orders
