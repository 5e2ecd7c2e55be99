// Losses, as Python calls them.
#include "exact/class_loss.hpp"

#include <cstring>

#include "python/exact/arguments.hpp"
#include "python/exact/class_loss_call.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

template <class P>
bool fill_shape(P& p, const View& x, const View& target, int64_t ignored, int reduction) {
  const int axis = x.ndim == 1 ? 0 : 1;
  if (x.ndim < 1 || target.ndim != x.ndim - 1 || reduction < 0 || reduction > 2) return false;
  p.rows = axis == 0 ? 1 : x.shape[0];
  p.classes = x.shape[axis];
  p.places = 1;
  for (int d = 0; d < target.ndim; ++d) {
    if (target.shape[d] != x.shape[d < axis ? d : d + 1]) return false;
    if (d >= axis) p.places *= target.shape[d];
  }
  p.target = static_cast<const int64_t*>(target.data);
  p.ignored = ignored;
  p.reduction = static_cast<exact::Reduction>(reduction);
  return true;
}

bool plain_of(nb::handle tensor, DType dtype, View* view) {
  return view_of(tensor.ptr(), view) && view->dtype == dtype && view->contiguous();
}

bool floating(nb::handle tensor, View* view) {
  return view_of(tensor.ptr(), view) && view->contiguous() &&
         (view->dtype == DType::kFloat32 || view->dtype == DType::kFloat64);
}

template <class T>
bool weight_of(nb::handle weight, DType dtype, int64_t classes, const T** out) {
  *out = nullptr;
  if (weight.is_none()) return true;
  View view;
  if (!plain_of(weight, dtype, &view) || view.ndim != 1 || view.numel() != classes) return false;
  *out = static_cast<const T*>(view.data);
  return true;
}

nb::object tensor_like(const View& shape, DType dtype, bool single) {
  PyObject* made = new_tensor(dtype, single ? 0 : shape.ndim, shape.shape, nullptr);
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

template <class T>
nb::object typed_class_loss(const View& x, const View& target, nb::handle weight, int reduction, int64_t ignored) {
  exact::ClassLoss<T> p{};
  if (!fill_shape(p, x, target, ignored, reduction)) return nb::none();
  if (!weight_of(weight, x.dtype, p.classes, &p.weight)) return nb::none();
  p.x = static_cast<const T*>(x.data);
  nb::object out = tensor_like(target, x.dtype, p.reduction != exact::Reduction::kNone);
  nb::object total = tensor_like(target, x.dtype, true);
  p.out = static_cast<T*>(need(out, "out").data);
  p.total = static_cast<T*>(need(total, "total").data);
  auto done = exact::Placed::kDone;
  work(static_cast<double>(target.numel()), [&](int) {
    if constexpr (sizeof(T) == 4) done = exact::passes().class_loss_f32(p);
    else done = exact::passes().class_loss_f64(p);
  });
  if (done == exact::Placed::kNoMemory) no_memory();
  return done == exact::Placed::kDone ? nb::object(nb::make_tuple(out, total)) : nb::none();
}

nb::object class_loss(nb::handle x_tensor, nb::handle target_tensor, nb::handle weight, int reduction, int64_t ignored) {
  View x, target;
  if (!floating(x_tensor, &x) || !plain_of(target_tensor, DType::kInt64, &target)) return nb::none();
  return x.dtype == DType::kFloat32 ? typed_class_loss<float>(x, target, weight, reduction, ignored)
                                    : typed_class_loss<double>(x, target, weight, reduction, ignored);
}

template <class T>
bool typed_class_loss_backward(const View& out, const View& grad, const View& target, nb::handle weight, int reduction,
                            int64_t ignored, nb::handle total_tensor) {
  exact::ClassLossBackward<T> p{};
  if (!fill_shape(p, out, target, ignored, reduction)) return false;
  if (!weight_of(weight, out.dtype, p.classes, &p.weight)) return false;
  if (grad.numel() != (p.reduction == exact::Reduction::kNone ? target.numel() : 1)) return false;
  View total;
  if (!plain_of(total_tensor, out.dtype, &total) || total.numel() != 1) return false;
  p.grad = static_cast<const T*>(grad.data);
  p.total = static_cast<const T*>(total.data);
  p.out = static_cast<T*>(out.data);
  auto done = exact::Placed::kDone;
  work(static_cast<double>(target.numel()), [&](int) {
    if constexpr (sizeof(T) == 4) done = exact::passes().class_loss_backward_f32(p);
    else done = exact::passes().class_loss_backward_f64(p);
  });
  return done == exact::Placed::kDone;
}

bool class_loss_backward(nb::handle out_tensor, nb::handle grad_tensor, nb::handle target_tensor, nb::handle weight,
                         int reduction, int64_t ignored, nb::handle total) {
  View out, grad, target;
  if (!floating(out_tensor, &out) || !plain_of(grad_tensor, out.dtype, &grad)) return false;
  if (!plain_of(target_tensor, DType::kInt64, &target)) return false;
  return out.dtype == DType::kFloat32
             ? typed_class_loss_backward<float>(out, grad, target, weight, reduction, ignored, total)
             : typed_class_loss_backward<double>(out, grad, target, weight, reduction, ignored, total);
}

// A reduction and the class that is ignored, as an operation is given them.
bool options_of(PyObject* const* given, int* reduction, int64_t* ignored) {
  if (!PyLong_CheckExact(given[0]) || !PyLong_CheckExact(given[1])) return false;
  int beyond = 0;
  *reduction = static_cast<int>(PyLong_AsLongAndOverflow(given[0], &beyond));
  if (beyond != 0) return false;
  *ignored = PyLong_AsLongLongAndOverflow(given[1], &beyond);
  return beyond == 0;
}

}  // namespace

// (x, target, weight, reduction, ignored)
PyObject* class_loss_of(PyObject* args) {
  int reduction = 0;
  int64_t ignored = 0;
  PyObject* const* given = &PyTuple_GET_ITEM(args, 0);
  if (PyTuple_GET_SIZE(args) != 5 || !options_of(given + 3, &reduction, &ignored)) return Py_NewRef(Py_NotImplemented);
  try {
    nb::object found = class_loss(given[0], given[1], given[2], reduction, ignored);
    return found.is_none() ? Py_NewRef(Py_NotImplemented) : found.release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

// (grad, x, target, weight, reduction, ignored, total weight); x says no more than the shape
PyObject* class_loss_backward_of(PyObject* args) {
  View x, out;
  int reduction = 0;
  int64_t ignored = 0;
  PyObject* const* given = &PyTuple_GET_ITEM(args, 0);
  const bool fits = PyTuple_GET_SIZE(args) == 7 && options_of(given + 4, &reduction, &ignored) && floating(given[1], &x);
  if (!fits) return Py_NewRef(Py_NotImplemented);
  PyObject* made = new_tensor(x.dtype, x.ndim, x.shape, nullptr);
  if (made == nullptr || !view_of(made, &out)) return made;
  std::memset(out.data, 0, static_cast<size_t>(out.numel()) * (x.dtype == DType::kFloat32 ? 4 : 8));
  if (class_loss_backward(made, given[0], given[2], given[3], reduction, ignored, given[6])) return made;
  Py_DECREF(made);
  return Py_NewRef(Py_NotImplemented);
}

void add_loss_calls(nb::module_& module) {
  module.def("class_loss", class_loss, nb::arg("x"), nb::arg("target"), nb::arg("weight").none(), nb::arg("reduction"),
             nb::arg("ignored"), "nll_loss and its total weight; None where the arguments are not plain or not right.");
  module.def("class_loss_backward", class_loss_backward, nb::arg("out"), nb::arg("grad"), nb::arg("target"),
             nb::arg("weight").none(), nb::arg("reduction"), nb::arg("ignored"), nb::arg("total"),
             "Its derivative, written to zeros; False, and nothing written, where the arguments are not plain or right.");
}

}  // namespace samebits::python::exact_arithmetic
