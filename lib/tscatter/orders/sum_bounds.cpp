#include "tscatter/orders/sum_bounds.hpp"

#include "tscatter/kernels/path.hpp"

namespace tscatter::orders {

template <class T>
void SumBounds<T>::calculate(const TermBlock<T>& block, Subnormals subnormals, Products products) {
  vectorised([&] { calculate_all(block, subnormals, products); });
}

template void SumBounds<Half>::calculate(const TermBlock<Half>&, Subnormals, Products);
template void SumBounds<BFloat16>::calculate(const TermBlock<BFloat16>&, Subnormals, Products);
template void SumBounds<float>::calculate(const TermBlock<float>&, Subnormals, Products);
template void SumBounds<double>::calculate(const TermBlock<double>&, Subnormals, Products);

}  // namespace tscatter::orders
