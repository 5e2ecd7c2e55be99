// Values between memory of any dtype and stride, and buffers of the type in which loops compute.
#pragma once

#include <algorithm>
#include <cstdint>

#include "exact/convert.hpp"
#include "exact/elementwise.hpp"

namespace samebits::exact {

template <class T, class From, class Convert>
void gather_as(const void* data, int64_t stride, long n, T* to, Convert convert) {
  const From* from = static_cast<const From*>(data);
  if (stride == 0) {  // broadcast; a loop that the compiler knows how to make fast
    std::fill_n(to, n, convert(*from));
    return;
  }
  for (long i = 0; i < n; ++i) to[i] = convert(from[i * stride]);
}

template <class T>
void gather(const Operand& operand, int64_t offset, int64_t stride, long n, T* to) {
  const void* data = static_cast<const char*>(operand.data) + offset * size_of(operand.dtype);
  const auto plain = [](auto x) { return static_cast<T>(x); };
  switch (operand.dtype) {
    case DType::kBool: return gather_as<T, uint8_t>(data, stride, n, to, [](uint8_t x) { return static_cast<T>(x != 0); });
    case DType::kUInt8: return gather_as<T, uint8_t>(data, stride, n, to, plain);
    case DType::kInt8: return gather_as<T, int8_t>(data, stride, n, to, plain);
    case DType::kInt16: return gather_as<T, int16_t>(data, stride, n, to, plain);
    case DType::kInt32: return gather_as<T, int32_t>(data, stride, n, to, plain);
    case DType::kInt64: return gather_as<T, int64_t>(data, stride, n, to, plain);
    case DType::kFloat16: return gather_as<T, uint16_t>(data, stride, n, to, [](uint16_t x) { return static_cast<T>(from_float16(x)); });
    case DType::kBFloat16: return gather_as<T, uint16_t>(data, stride, n, to, [](uint16_t x) { return static_cast<T>(from_bfloat16(x)); });
    case DType::kFloat32: return gather_as<T, float>(data, stride, n, to, plain);
    case DType::kFloat64: return gather_as<T, double>(data, stride, n, to, plain);
    case DType::kNone: return;
  }
}

template <class To, class T, class Convert>
void scatter_as(const T* from, void* data, int64_t stride, long n, Convert convert) {
  To* to = static_cast<To*>(data);
  for (long i = 0; i < n; ++i) to[i * stride] = convert(from[i]);
}

template <class T>
T canonical_nan(T x) {
  return x == x ? x : static_cast<T>(__builtin_nan(""));
}

inline float as_float(float x) { return x; }
inline float as_float(double x) { return to_odd(x); }

template <class T>
void scatter(const T* from, const Operand& operand, int64_t offset, int64_t stride, long n) {
  void* data = static_cast<char*>(operand.data) + offset * size_of(operand.dtype);
  switch (operand.dtype) {
    case DType::kFloat16: return scatter_as<uint16_t>(from, data, stride, n, [](T x) { return to_float16(as_float(x)); });
    case DType::kBFloat16: return scatter_as<uint16_t>(from, data, stride, n, [](T x) { return to_bfloat16(as_float(x)); });
    case DType::kFloat32: return scatter_as<float>(from, data, stride, n, [](T x) { return canonical_nan(static_cast<float>(x)); });
    case DType::kFloat64: return scatter_as<double>(from, data, stride, n, [](T x) { return canonical_nan(static_cast<double>(x)); });
    default: return;
  }
}

}  // namespace samebits::exact
