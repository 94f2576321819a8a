// 128-bit integers: the compiler's own, or Boost's on 32-bit machines, whose compilers have none.
#pragma once

#ifndef __SIZEOF_INT128__
#include <boost/multiprecision/cpp_int.hpp>
#endif

namespace tscatter::oracle {

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;
#else
using Int128 = boost::multiprecision::int128_t;
using UInt128 = boost::multiprecision::uint128_t;
#endif

}  // namespace tscatter::oracle
