#include "python/tensor_access.hpp"

#include "record/mix.hpp"

namespace samebits::python {
namespace {

// The part of DLPack's ABI that is used here, declared anew: names follow the standard.
struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
};
struct DLPackExchangeAPI {
  DLPackVersion version;
  const DLPackExchangeAPI* prev_api;
  void* managed_tensor_allocator;
  void* managed_tensor_from_py_object_no_sync;
  void* managed_tensor_to_py_object_no_sync;
  int (*dltensor_from_py_object_no_sync)(void* py_object, DLTensor* out);
  void* current_work_stream;
};
constexpr int32_t kDLCPU = 1;

enum DLCode : uint8_t {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
};

// (DLPack code, bits) to the fingerprint's dtype code; filled from Python so that the one table of
// codes stays in samebits.fingerprint.
uint8_t g_codes[256][4];  // [code][log2(bits / 8), bits of 128 share index 3 with complex only]

int bits_index(uint8_t code, uint8_t bits) {
  switch (bits) {
    case 8:
      return 0;
    case 16:
      return 1;
    case 32:
      return code == kDLComplex ? 0 : 2;
    case 64:
      return code == kDLComplex ? 1 : 3;
    case 128:
      return code == kDLComplex ? 2 : -1;
    default:
      return -1;
  }
}

long attribute_as_long(PyObject* object, const char* name, bool call) {
  PyObject* value = call ? PyObject_CallMethod(object, name, nullptr) : PyObject_GetAttrString(object, name);
  if (value == nullptr) return -1;
  const long result = PyLong_AsLong(value);
  Py_DECREF(value);
  return result;
}

}  // namespace

record::Extent TensorView::extent() const {
  int64_t low = 0;
  int64_t high = 0;
  for (int i = 0; i < ndim; ++i) {
    if (shape[i] == 0) return {static_cast<const unsigned char*>(data), 0};
    const int64_t reach = (shape[i] - 1) * strides[i];
    (reach < 0 ? low : high) += reach;
  }
  return {static_cast<const unsigned char*>(data) + low * itemsize,
          static_cast<size_t>((high - low + 1) * itemsize)};
}

uint64_t TensorView::shape_hash() const {
  uint64_t state = (static_cast<uint64_t>(dtype_code) << 8) | static_cast<uint64_t>(ndim);
  for (int i = 0; i < ndim; ++i) {
    state = (state ^ static_cast<uint64_t>(shape[i])) * 0x9E3779B97F4A7C15ull;
    state ^= state >> 31;
  }
  return state;
}

uint64_t TensorView::layout_hash() const {
  uint64_t state = shape_hash();
  for (int i = 0; i < ndim; ++i) {
    if (shape[i] == 1) continue;
    state = (state ^ static_cast<uint64_t>(strides[i])) * 0xD6E8FEB86659FD93ull;
    state ^= state >> 31;
  }
  return state;
}

bool TensorView::is_contiguous() const {
  int64_t expected = 1;
  for (int i = ndim - 1; i >= 0; --i) {
    if (shape[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

uint64_t TensorView::key(const record::Extent& extent) const {
  const uint64_t where = record::chain(reinterpret_cast<uint64_t>(extent.first), extent.bytes);
  const uint64_t key = fills(extent) ? where : record::chain(where, layout_hash());
  return key | 1;  // never 0, which marks an empty slot
}

bool TensorAccess::init(PyObject* tensor_type, PyObject* parameter_type, PyObject* codes,
                        PyObject* kind_of_type) {
  kind_of_type_ = owned_.keep(kind_of_type);
  tensor_type_ = reinterpret_cast<PyTypeObject*>(owned_.keep(tensor_type));
  parameter_type_ = reinterpret_cast<PyTypeObject*>(owned_.keep(parameter_type));
  dtype_codes_ = owned_.keep(PyTuple_GetItem(codes, 0));
  PyObject* by_dlpack = PyTuple_GetItem(codes, 1);  // {(code, bits): dtype code}
  Py_ssize_t position = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(by_dlpack, &position, &key, &value)) {
    const auto code = static_cast<uint8_t>(PyLong_AsLong(PyTuple_GetItem(key, 0)));
    const auto bits = static_cast<uint8_t>(PyLong_AsLong(PyTuple_GetItem(key, 1)));
    const int index = bits_index(code, bits);
    if (index >= 0) g_codes[code][index] = static_cast<uint8_t>(PyLong_AsLong(value));
  }
  position = 0;
  while (PyDict_Next(PyTuple_GetItem(codes, 2), &position, &key, &value)) {
    const char* name = PyUnicode_AsUTF8(value);
    if (name != nullptr) names_[static_cast<uint8_t>(PyLong_AsLong(key))] = name;
  }
  if (PyErr_Occurred()) return false;
  exchange_ = nullptr;
  PyObject* capsule = PyObject_GetAttrString(tensor_type, "__dlpack_c_exchange_api__");
  if (capsule == nullptr) {
    PyErr_Clear();
    return true;
  }
  auto* api = static_cast<const DLPackExchangeAPI*>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  Py_DECREF(capsule);
  PyErr_Clear();
  while (api != nullptr && api->version.major != 1) api = api->prev_api;
  exchange_ = api;
  return true;
}

TensorKind TensorAccess::kind_of(PyObject* type) const {
  auto* exact = reinterpret_cast<PyTypeObject*>(type);
  if (exact == tensor_type_ || exact == parameter_type_) return TensorKind::kPlain;
  auto it = kinds_.find(type);
  if (it != kinds_.end()) return it->second;
  TensorKind kind = TensorKind::kNoMemory;  // where nothing is known, nothing is touched
  PyObject* answer = PyObject_CallFunctionObjArgs(kind_of_type_, type, nullptr);
  if (answer != nullptr) {
    kind = static_cast<TensorKind>(PyLong_AsLong(answer));
    Py_DECREF(answer);
  }
  PyErr_Clear();
  owned_.keep(type);
  return kinds_.emplace(type, kind).first->second;
}

bool TensorAccess::is_lazy(PyObject* tensor, const char* question) const {
  PyObject* answer = PyObject_CallMethod(tensor, question, nullptr);
  PyErr_Clear();
  Py_XDECREF(answer);
  return answer == Py_True;
}

bool TensorAccess::view(PyObject* tensor, TensorView* out) const {
  if (kind_of(reinterpret_cast<PyObject*>(Py_TYPE(tensor))) != TensorKind::kPlain) return false;
  if (exchange_ == nullptr) return view_by_attributes(tensor, out);
  DLTensor raw;
  if (static_cast<const DLPackExchangeAPI*>(exchange_)->dltensor_from_py_object_no_sync(tensor, &raw) != 0) {
    PyErr_Clear();
    return false;
  }
  const int index = bits_index(raw.dtype.code, raw.dtype.bits);
  if (index < 0 || raw.dtype.lanes != 1 || raw.ndim > kMaxDims) return false;
  out->dtype_code = g_codes[raw.dtype.code][index];
  if (out->dtype_code == 0) return false;
  // The table describes a conjugate view as if its bits were resolved; only torch can tell.
  if (raw.dtype.code == kDLComplex && is_lazy(tensor, "is_conj")) return false;
  out->data = static_cast<const unsigned char*>(raw.data) + raw.byte_offset;
  out->itemsize = raw.dtype.bits / 8;
  out->ndim = raw.ndim;
  out->on_cpu = raw.device.device_type == kDLCPU;
  out->shape = raw.shape;
  out->strides = raw.strides;
  return out->has_memory();
}

namespace {

bool has_elements(const DLTensor& tensor) {
  for (int32_t d = 0; d < tensor.ndim; ++d) {
    if (tensor.shape[d] == 0) return false;
  }
  return true;
}

}  // namespace

uint8_t TensorAccess::plain_dtype(PyObject* tensor) const {
  if (kind_of(reinterpret_cast<PyObject*>(Py_TYPE(tensor))) != TensorKind::kPlain) return 0;
  TensorView view;
  if (exchange_ == nullptr) return view_by_attributes(tensor, &view) && view.on_cpu ? view.dtype_code : 0;
  DLTensor raw;
  if (static_cast<const DLPackExchangeAPI*>(exchange_)->dltensor_from_py_object_no_sync(tensor, &raw) != 0) {
    PyErr_Clear();
    return 0;
  }
  const int index = bits_index(raw.dtype.code, raw.dtype.bits);
  const bool known = index >= 0 && raw.dtype.lanes == 1 && raw.device.device_type == kDLCPU;
  if (!known || (raw.data == nullptr && has_elements(raw))) return 0;
  return g_codes[raw.dtype.code][index];
}

bool TensorAccess::view_by_attributes(PyObject* tensor, TensorView* out) const {
  bool ok = false;
  PyObject* shape = PyObject_GetAttrString(tensor, "shape");
  PyObject* strides = shape ? PyObject_CallMethod(tensor, "stride", nullptr) : nullptr;
  PyObject* dtype = strides ? PyObject_GetAttrString(tensor, "dtype") : nullptr;
  PyObject* is_cpu = dtype ? PyObject_GetAttrString(tensor, "is_cpu") : nullptr;
  PyObject* code = is_cpu ? PyDict_GetItemWithError(dtype_codes_, dtype) : nullptr;
  PyObject* pointer = code ? PyObject_CallMethod(tensor, "data_ptr", nullptr) : nullptr;
  PyObject* conjugate = pointer ? PyObject_CallMethod(tensor, "is_conj", nullptr) : nullptr;
  PyObject* negative = conjugate ? PyObject_CallMethod(tensor, "is_neg", nullptr) : nullptr;
  if (negative != nullptr && conjugate == Py_False && negative == Py_False &&
      PyTuple_Check(shape) && PyTuple_Check(strides) && PyTuple_Size(shape) <= kMaxDims) {
    out->data = PyLong_AsVoidPtr(pointer);
    out->itemsize = static_cast<int32_t>(attribute_as_long(tensor, "element_size", true));
    out->ndim = static_cast<int32_t>(PyTuple_Size(shape));
    out->dtype_code = static_cast<uint8_t>(PyLong_AsLong(code));
    out->on_cpu = is_cpu == Py_True;
    for (int i = 0; i < out->ndim; ++i) {
      out->own_shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
      out->own_strides[i] = PyLong_AsLongLong(PyTuple_GetItem(strides, i));
    }
    out->shape = out->own_shape;
    out->strides = out->own_strides;
    ok = !PyErr_Occurred() && out->has_memory();
  }
  PyErr_Clear();
  Py_XDECREF(shape);
  Py_XDECREF(strides);
  Py_XDECREF(dtype);
  Py_XDECREF(is_cpu);
  Py_XDECREF(pointer);
  Py_XDECREF(conjugate);
  Py_XDECREF(negative);
  return ok;
}

namespace {

record::Extent extent_of(PyObject* storage) {
  record::Extent extent;
  PyObject* first = PyObject_CallMethod(storage, "data_ptr", nullptr);
  PyObject* bytes = first ? PyObject_CallMethod(storage, "nbytes", nullptr) : nullptr;
  if (bytes != nullptr) {
    extent.first = static_cast<const unsigned char*>(PyLong_AsVoidPtr(first));
    extent.bytes = PyLong_AsSize_t(bytes);
    if (PyErr_Occurred()) extent = {};
  }
  PyErr_Clear();
  Py_XDECREF(first);
  Py_XDECREF(bytes);
  return extent;
}

// A storage, held by torch's own weak reference: its memory is freed as it would be without that,
// and no other storage takes its place while somebody asks.
class WeakStorage : public record::Allocation {
 public:
  WeakStorage(PyObject* type, PyObject* weak) : type_(Py_NewRef(type)), weak_(weak) {}
  WeakStorage(const WeakStorage&) = delete;
  WeakStorage& operator=(const WeakStorage&) = delete;
  ~WeakStorage() override {
    if (!Py_IsInitialized()) return;
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    Py_XDECREF(PyObject_CallMethod(type_, "_free_weak_ref", "O", weak_));
    PyErr_Restore(type, value, traceback);
    Py_DECREF(weak_);
    Py_DECREF(type_);
  }

  record::Extent extent() const override {
    PyObject* storage = PyObject_CallMethod(type_, "_new_with_weak_ptr", "O", weak_);
    if (storage == nullptr) PyErr_Clear();
    record::Extent extent;
    if (storage != nullptr && storage != Py_None) extent = extent_of(storage);
    Py_XDECREF(storage);
    return extent;
  }

 private:
  PyObject* type_;
  PyObject* weak_;
};

// An allocation that cannot be followed: it counts as freed.
class UnknownAllocation : public record::Allocation {
  record::Extent extent() const override { return {}; }
};

}  // namespace

PyObject* TensorAccess::storage_of(PyObject* object) const {
  if (!is_tensor(object)) return Py_NewRef(object);
  PyObject* storage = PyObject_CallMethod(object, "untyped_storage", nullptr);
  if (storage == nullptr) PyErr_Clear();
  return storage;
}

record::Extent TensorAccess::storage(PyObject* object) const {
  PyObject* storage = storage_of(object);
  if (storage == nullptr) return {};
  const record::Extent extent = extent_of(storage);
  Py_DECREF(storage);
  return extent;
}

std::shared_ptr<const record::Allocation> TensorAccess::allocation(PyObject* object) const {
  PyObject* storage = storage_of(object);
  PyObject* weak = storage != nullptr ? PyObject_CallMethod(storage, "_weak_ref", nullptr) : nullptr;
  PyErr_Clear();
  std::shared_ptr<const record::Allocation> found;
  if (weak != nullptr) {
    found = std::make_shared<WeakStorage>(reinterpret_cast<PyObject*>(Py_TYPE(storage)), weak);
  } else {
    found = std::make_shared<UnknownAllocation>();
  }
  Py_XDECREF(storage);
  return found;
}

bool TensorAccess::was_written(PyObject* tensor) const {
  PyObject* version = PyObject_GetAttrString(tensor, "_version");
  const bool written = version != nullptr && PyLong_AsLong(version) > 0;
  PyErr_Clear();  // tensors of inference mode do not count
  Py_XDECREF(version);
  return written;
}

}  // namespace samebits::python
