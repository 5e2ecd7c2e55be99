// Factorisations of matrices, as Python calls them.
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

using exact::Matrices;

Matrices matrices(nb::handle tensor, const char* what) {
  const View view = need_contiguous(tensor, DType::kFloat64, -1, what);
  if (view.ndim != 3) refuse(what);
  return {static_cast<double*>(view.data), static_cast<long>(view.shape[0]), static_cast<long>(view.shape[1]),
          static_cast<long>(view.shape[2])};
}

Matrices squares(nb::handle tensor, const char* what) {
  const Matrices found = matrices(tensor, what);
  if (found.rows != found.columns) refuse(what);
  return found;
}

template <class T>
T* need_data(nb::handle tensor, DType dtype, int64_t numel, const char* what) {
  return static_cast<T*>(need_contiguous(tensor, dtype, numel, what).data);
}

// Runs a kernel that computes `a`, whose steps take `depth` operations a value.
template <class Kernel>
void factor(const Matrices& a, long depth, Kernel kernel) {
  bool done = true;
  const double values = static_cast<double>(a.count) * static_cast<double>(a.rows) * static_cast<double>(a.columns);
  work(values * static_cast<double>(depth), [&](int threads) { done = kernel(threads); });
  if (!done) no_memory();
}

void qr(nb::handle a_tensor, nb::handle taus_tensor) {
  const Matrices a = matrices(a_tensor, "a");
  double* taus = need_data<double>(taus_tensor, DType::kFloat64, a.count * a.diagonal(), "taus");
  factor(a, a.diagonal(), [&](int threads) { return kernels().linear_algebra.qr(a, taus, threads); });
}

void reflect(nb::handle vectors_tensor, nb::handle taus_tensor, nb::handle c_tensor, int how) {
  const Matrices vectors = matrices(vectors_tensor, "vectors");
  const Matrices c = matrices(c_tensor, "c");
  const View view = need_contiguous(taus_tensor, DType::kFloat64, -1, "taus");
  if (view.ndim != 2 || view.shape[0] != c.count || vectors.count != c.count) refuse("taus");
  const long factors = static_cast<long>(view.shape[1]);
  if (vectors.rows != c.rows || factors > vectors.diagonal()) refuse("vectors");
  factor(c, factors, [&](int threads) {
    return kernels().linear_algebra.reflect(vectors, static_cast<const double*>(view.data), factors, c,
                                            static_cast<exact::Reflections>(how), threads);
  });
}

void lu(nb::handle a_tensor, nb::handle pivots_tensor, nb::handle info_tensor) {
  const Matrices a = matrices(a_tensor, "a");
  int32_t* pivots = need_data<int32_t>(pivots_tensor, DType::kInt32, a.count * a.diagonal(), "pivots");
  int32_t* info = need_data<int32_t>(info_tensor, DType::kInt32, a.count, "info");
  factor(a, a.diagonal(), [&](int threads) { return kernels().linear_algebra.lu(a, pivots, info, threads); });
}

void cholesky(nb::handle a_tensor, nb::handle info_tensor) {
  const Matrices a = squares(a_tensor, "a");
  int32_t* info = need_data<int32_t>(info_tensor, DType::kInt32, a.count, "info");
  factor(a, a.rows, [&](int threads) { return kernels().linear_algebra.cholesky(a, info, threads); });
}

void substitute(nb::handle triangle_tensor, nb::handle b_tensor, bool upper, bool unit) {
  const Matrices triangle = squares(triangle_tensor, "triangle");
  const Matrices b = matrices(b_tensor, "b");
  if (triangle.count != b.count || triangle.rows != b.rows) refuse("b");
  factor(b, b.rows,
         [&](int threads) { return kernels().linear_algebra.substitute(triangle, b, upper, unit, threads); });
}

void tridiagonal(nb::handle a_tensor, nb::handle diagonal, nb::handle beside, nb::handle taus) {
  const Matrices a = squares(a_tensor, "a");
  const long factors = a.rows > 2 ? a.rows - 2 : 0;
  double* d = need_data<double>(diagonal, DType::kFloat64, a.count * a.rows, "diagonal");
  double* e = need_data<double>(beside, DType::kFloat64, a.count * a.rows, "beside");
  double* t = need_data<double>(taus, DType::kFloat64, a.count * factors, "taus");
  factor(a, a.rows, [&](int threads) { return kernels().linear_algebra.tridiagonal(a, d, e, t, threads); });
}

void ql(nb::handle diagonal, nb::handle beside, nb::handle vectors, nb::handle info_tensor) {
  const View d = need_contiguous(diagonal, DType::kFloat64, -1, "diagonal");
  if (d.ndim != 2) refuse("diagonal");
  const Matrices a = {nullptr, static_cast<long>(d.shape[0]), static_cast<long>(d.shape[1]), static_cast<long>(d.shape[1])};
  double* e = need_data<double>(beside, DType::kFloat64, d.numel(), "beside");
  double* rows = data_or_null<double>(vectors, DType::kFloat64, d.numel() * a.rows, "vectors");
  int32_t* info = need_data<int32_t>(info_tensor, DType::kInt32, a.count, "info");
  factor(a, a.rows, [&](int threads) {
    return kernels().linear_algebra.ql(static_cast<double*>(d.data), e, a.count, a.rows, rows, info, threads);
  });
}

void jacobi(nb::handle x_tensor, nb::handle turns_tensor, nb::handle values_tensor, nb::handle info_tensor) {
  const Matrices x = squares(x_tensor, "x");
  double* turns = data_or_null<double>(turns_tensor, DType::kFloat64, x.count * x.rows * x.rows, "turns");
  double* values = need_data<double>(values_tensor, DType::kFloat64, x.count * x.rows, "values");
  int32_t* info = need_data<int32_t>(info_tensor, DType::kInt32, x.count, "info");
  factor(x, x.rows, [&](int threads) { return kernels().linear_algebra.jacobi(x, turns, values, info, threads); });
}

}  // namespace

void add_linear_algebra_calls(nb::module_& module) {
  module.def("qr", qr, nb::arg("a"), nb::arg("taus"), "Householder's QR of [B, m, n] in place.");
  module.def("reflect", reflect, nb::arg("vectors"), nb::arg("taus"), nb::arg("c"), nb::arg("how"),
             "Applies the reflections of a QR to c, [B, m, k], in place: 0 first to last, 1 last to first, 2 so to an "
             "identity.");
  module.def("lu", lu, nb::arg("a"), nb::arg("pivots"), nb::arg("info"), "LU with row exchanges of [B, m, n] in place.");
  module.def("cholesky", cholesky, nb::arg("a"), nb::arg("info"), "The lower factor of [B, n, n] in place.");
  module.def("substitute", substitute, nb::arg("triangle"), nb::arg("b"), nb::arg("upper"), nb::arg("unit"),
             "Solves triangle × x = b, [B, n, k], in place of b.");
  module.def("tridiagonal", tridiagonal, nb::arg("a"), nb::arg("diagonal"), nb::arg("beside"), nb::arg("taus"),
             "Symmetric [B, n, n] to three diagonals, in place.");
  module.def("ql", ql, nb::arg("diagonal"), nb::arg("beside"), nb::arg("vectors").none(), nb::arg("info"),
             "Eigenvalues of three diagonals, [B, n], in place, ascending; rows of vectors go along.");
  module.def("jacobi", jacobi, nb::arg("x"), nb::arg("turns").none(), nb::arg("values"), nb::arg("info"),
             "Singular values of [B, n, n], descending; rows of x and turns become the vectors.");
}

}  // namespace samebits::python::exact_arithmetic
