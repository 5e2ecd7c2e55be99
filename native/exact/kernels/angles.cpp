// sin and cos of large angles: reduced one by one, by multiplication with the bits of 2 / pi that
// matter (Payne and Hanek).
#include "exact/kernels/functions.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// 2 / pi, 32 bits a word, the first word being the first 32 bits after the binary point.
constexpr uint32_t kTwoOverPi[] = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
                                   0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561};

void reduce(double x, int64_t& quarter, double& rest) {
  if (!(x - x == 0)) {  // infinite or NaN
    quarter = 0;
    rest = __builtin_nan("");
    return;
  }
  // |x| = m 2^e with an m of 24 bits, since x was binary32; e lies between -2 and 104.
  uint64_t pattern;
  __builtin_memcpy(&pattern, &x, 8);
  const int e = static_cast<int>((pattern >> 52) & 0x7FF) - 1023 - 23;
  const uint64_t m = ((pattern & 0xFFFFFFFFFFFFF) | (uint64_t{1} << 52)) >> 29;
  // x 2 / pi modulo 4: bits of 2 / pi above 2^(2 - e) times m are multiples of 4. 160 bits from
  // there on, in five words.
  const int skip = e - 2 > 0 ? e - 2 : 0;
  const int word = skip / 32;
  const int shift = skip % 32;
  uint32_t window[5];
  for (int i = 0; i < 5; ++i) {
    const uint64_t high = word + i < 8 ? kTwoOverPi[word + i] : 0;
    const uint64_t low = word + i + 1 < 8 ? kTwoOverPi[word + i + 1] : 0;
    window[i] = static_cast<uint32_t>((high << 32 | low) >> (32 - shift));
  }
  // The product's last 160 bits, in units of 2^(e - skip - 160).
  uint32_t product[5];
  uint64_t carry = 0;
  for (int i = 4; i >= 0; --i) {
    carry += m * window[i];
    product[i] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  // Bits before the point within the window: e - skip, which is 2 unless e is smaller. What is
  // above the window's 160 bits counts there too.
  const int point = e - skip;
  const unsigned __int128 top = static_cast<unsigned __int128>(carry) << 96 |
                                static_cast<unsigned __int128>(product[0]) << 64 |
                                static_cast<unsigned __int128>(product[1]) << 32 | product[2];
  const unsigned __int128 next = static_cast<unsigned __int128>(product[3]) << 32 | product[4];
  // Fixed point: 128 bits, of which the first two are the quarter.
  const int lift = 30 + point;  // 32 bits of carry hold the integer part but for `point` bits
  unsigned __int128 fixed = top << lift;
  fixed |= (next << 64) >> (128 - lift);
  quarter = static_cast<int64_t>(fixed >> 126);
  unsigned __int128 fraction = fixed << 2;
  bool negative = false;
  if (fraction >> 127) {  // nearer to the next quarter
    quarter += 1;
    fraction = -fraction;
    negative = true;
  }
  if (x < 0) {
    quarter = -quarter;
    negative = !negative;
  }
  // fraction / 2^128 as a double with its own 53 bits, however many zeros it begins with.
  const double value = static_cast<double>(fraction) * 0x1p-128;
  rest = value * 0x1.921fb54442d18p+0;
  if (negative) rest = -rest;
}

}  // namespace

vd of_large_angles(vd x, vd y, int64_t turn) {
  double arguments[D], rests[D] = {};
  int64_t quarters[D] = {};
  store(arguments, x);
  for (int i = 0; i < D; ++i) {
    // Whatever is not small goes here, NaN included.
    if (!(__builtin_fabs(arguments[i]) <= kLargeAngle)) reduce(arguments[i], quarters[i], rests[i]);
  }
  const vd found = sin_or_cos({load<vl>(quarters) + all_l(turn), load<vd>(rests)});
  return magnitude(x) <= all<vd>(kLargeAngle) ? y : found;
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
