// Factorisations of matrices, as the builds provide them. All of them compute in binary64.
#pragma once

#include <cstdint>

namespace samebits::exact {

// Row-major matrices that follow each other in memory.
struct Matrices {
  double* data;
  long count, rows, columns;

  double* at(long i) const { return data + i * rows * columns; }
  long diagonal() const { return rows < columns ? rows : columns; }
};

// How reflections are applied to a matrix: the first one first, or the last one first; `to_identity`
// says that the matrix is one, and that the last one comes first.
enum class Reflections : int { kFirstToLast = 0, kLastToFirst = 1, kToIdentity = 2 };

struct LinearAlgebra {
  // a = Q R: R on and above the diagonal, below it the reflections' vectors, whose factors are `taus`.
  bool (*qr)(Matrices a, double* taus, int threads);
  // The reflections whose vectors are below the diagonal of `vectors` (`factors` of them a matrix), applied to c.
  bool (*reflect)(Matrices vectors, const double* taus, long factors, Matrices c, Reflections how, int threads);
  // P a = L U with rows exchanged; pivots count from 1; info is the place of the first pivot that is 0, or 0.
  bool (*lu)(Matrices a, int32_t* pivots, int32_t* info, int threads);
  // a = L Lᵀ, of which only what is on and below the diagonal is read.
  bool (*cholesky)(Matrices a, int32_t* info, int threads);
  // Solves triangle × x = b in place of b.
  bool (*substitute)(Matrices triangle, Matrices b, bool upper, bool unit, int threads);
  // a, symmetric, to three diagonals: a's lower triangle is left with the reflections' vectors, which begin
  // below the value beside the diagonal. `diagonal` and `beside` have n values a matrix, `taus` n − 2.
  bool (*tridiagonal)(Matrices a, double* diagonal, double* beside, double* taus, int threads);
  // Eigenvalues of such matrices in place of `diagonal`, ascending; rows of `vectors` (or null) go along.
  bool (*ql)(double* diagonal, double* beside, long count, long n, double* vectors, int32_t* info, int threads);
  // Singular values of squares, descending: rows of x become the right vectors, those of `turns` (or null),
  // which begin as an identity, the left ones.
  bool (*jacobi)(Matrices x, double* turns, double* values, int32_t* info, int threads);
};

}  // namespace samebits::exact
