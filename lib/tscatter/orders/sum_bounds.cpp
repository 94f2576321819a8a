#include "tscatter/orders/sum_bounds.hpp"

#include "tscatter/kernels/path.hpp"

namespace tscatter::orders {

template <class T>
void SumBounds<T>::calculate(const TermBlock<T>& block, Subnormals subnormals) {
  vectorised([&] { calculate_all(block, subnormals); });
}

template void SumBounds<Half>::calculate(const TermBlock<Half>&, Subnormals);
template void SumBounds<BFloat16>::calculate(const TermBlock<BFloat16>&, Subnormals);
template void SumBounds<float>::calculate(const TermBlock<float>&, Subnormals);
template void SumBounds<double>::calculate(const TermBlock<double>&, Subnormals);

}  // namespace tscatter::orders
