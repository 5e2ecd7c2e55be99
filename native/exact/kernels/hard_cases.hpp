// Arguments whose value lies so near the middle between two floats that the 53 bits of the
// functions fall on the wrong side. benchmarks/functions.py --exhaustive finds them; each is an
// argument and the value that MPFR gives.
#pragma once

#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD::hard {

// y, or `value` where x is exactly `argument`; both as bits.
SAMEBITS_INLINE vf fixed(vf x, vf y, uint32_t argument, uint32_t value) {
  const vi here = bits<vi>(x) == all_i(static_cast<int32_t>(argument));
  return here ? bits<vf>(all_i(static_cast<int32_t>(value))) : y;
}

SAMEBITS_INLINE vf exp(vf, vf y) { return y; }
SAMEBITS_INLINE vf exp2(vf x, vf y) {
  y = fixed(x, y, 0x3B429D37, 0x3F804385);
  return fixed(x, y, 0xBCF3A937, 0x3F7AC6B1);
}
SAMEBITS_INLINE vf expm1(vf, vf y) { return y; }
SAMEBITS_INLINE vf log(vf x, vf y) {
  y = fixed(x, y, 0x3C413D3A, 0xC08E158F);
  y = fixed(x, y, 0x41178FEB, 0x400FE5E7);
  y = fixed(x, y, 0x4C5D65A5, 0x418F034B);
  y = fixed(x, y, 0x65D890D3, 0x4254D1F9);
  return fixed(x, y, 0x6F31A8EC, 0x42845A89);
}
SAMEBITS_INLINE vf log2(vf, vf y) { return y; }
SAMEBITS_INLINE vf log10(vf x, vf y) { return fixed(x, y, 0x0EFEEE7A, 0xC1E99D23); }
SAMEBITS_INLINE vf log1p(vf x, vf y) {
  y = fixed(x, y, 0x35400003, 0x353FFFFF);
  y = fixed(x, y, 0x3710001B, 0x370FFFF3);
  y = fixed(x, y, 0x3EFD81AD, 0x3ECDEEE1);
  y = fixed(x, y, 0x41078FEB, 0x400FE5E7);
  y = fixed(x, y, 0x65D890D3, 0x4254D1F9);
  y = fixed(x, y, 0x6F31A8EC, 0x42845A89);
  y = fixed(x, y, 0xB53FFFFD, 0xB5400001);
  y = fixed(x, y, 0xB70FFFE5, 0xB710000D);
  return fixed(x, y, 0xBB0EC8C4, 0xBB0EF0A5);
}
SAMEBITS_INLINE vf sin(vf x, vf y) {
  y = fixed(x, y, 0x46199998, 0xBEB1FA5D);
  return fixed(x, y, 0xC6199998, 0x3EB1FA5D);
}
SAMEBITS_INLINE vf cos(vf x, vf y) {
  y = fixed(x, y, 0x5F18B878, 0x3F7F14BB);
  y = fixed(x, y, 0xDF18B878, 0x3F7F14BB);
  y = fixed(x, y, 0x6115CB11, 0x3F78142F);
  return fixed(x, y, 0xE115CB11, 0x3F78142F);
}
SAMEBITS_INLINE vf tanh(vf, vf y) { return y; }
SAMEBITS_INLINE vf erf(vf, vf y) { return y; }
SAMEBITS_INLINE vf sigmoid(vf x, vf y) { return fixed(x, y, 0xBA928601, 0x3EFFDB5F); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD::hard
