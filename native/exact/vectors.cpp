// Computes a fixed set of results and prints a digest of their bits, or compares it with a file.
//
//   vectors                 prints "name digest" lines of the best build
//   vectors FILE            compares every build that runs here with the lines of a file; exit code 1
//                           and the names that differ
//
// Inputs come from a small generator of whole numbers, so that every architecture has the same.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "exact/builds.hpp"
#include "exact/elementwise.hpp"
#include "exact/operations.hpp"

using namespace samebits::exact;

namespace {

struct Source {
  uint64_t state = 0x9E3779B97F4A7C15u;
  uint32_t word() {  // xorshift64*
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return static_cast<uint32_t>((state * 0x2545F4914F6CDD1Du) >> 32);
  }
  float ordinary() { return static_cast<float>(static_cast<int32_t>(word()) >> 8) * 0x1p-21f; }  // [-4, 4)
  float any() {
    const uint32_t bits = word();
    float x;
    std::memcpy(&x, &bits, 4);
    return x;
  }
};

uint64_t digest(const std::vector<double>& values) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const double value : values) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    hash = (hash ^ bits) * 0x100000001B3u;
  }
  return hash;
}

uint64_t digest(const std::vector<float>& values) {  // FNV-1a over the words
  uint64_t hash = 0xCBF29CE484222325u;
  for (const float value : values) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    hash = (hash ^ bits) * 0x100000001B3u;
  }
  return hash;
}

struct Line {
  std::string name;
  uint64_t value;
};

// Images so small that a vector holds one place of several.
void add_small_images(std::vector<Line>* lines) {
  Source source;
  const auto ordinary = [&](long n) {
    std::vector<float> values(static_cast<size_t>(n));
    for (float& value : values) value = source.ordinary();
    return values;
  };
  Convolution c{};
  c.images = 23;
  c.groups = 2;
  c.in_channels = 24;
  c.out_channels = 70;
  const long in[] = {1, 3, 5}, kernel[] = {1, 3, 3}, padding[] = {0, 1, 1};
  for (int a = 0; a < 3; ++a) {
    c.in[a] = c.out[a] = in[a];
    c.kernel[a] = kernel[a];
    c.padding[a] = padding[a];
    c.stride[a] = c.dilation[a] = 1;
  }
  const auto images = ordinary(c.images * c.groups * c.in_channels * c.in_places());
  const auto weight = ordinary(c.groups * c.out_channels * c.in_channels * c.taps());
  const auto grad = ordinary(c.images * c.groups * c.out_channels * c.out_places());
  std::vector<float> forward(grad.size()), inner(images.size());
  kernels().convolution_f32(c, {images.data(), nullptr, weight.data(), nullptr, forward.data()}, 1);
  lines->push_back({"convolution_small_images", digest(forward)});
  kernels().convolution_input_f32(c, {nullptr, grad.data(), weight.data(), nullptr, inner.data()}, 1);
  lines->push_back({"convolution_input_small_images", digest(inner)});
}

std::vector<Line> all_results() {
  std::vector<Line> lines;
  const Kernels& k = kernels();
  Source source;
  const auto ordinary = [&](size_t n) {
    std::vector<float> values(n);
    for (float& value : values) value = source.ordinary();
    return values;
  };

  std::vector<float> x(4096);
  for (size_t i = 0; i < x.size(); ++i) x[i] = i % 2 ? source.ordinary() : source.any();
  const std::vector<float> y = ordinary(x.size());
  const std::vector<float> z = ordinary(x.size());
  const double scalars[4] = {0.25, 2.0, 1.0, 0.0};
  const void* in[3] = {x.data(), y.data(), z.data()};
  std::vector<float> out(x.size());
#define X(name, tensors, in_f64)                                                                        \
  k.elementwise_f32(static_cast<int>(Elementwise::name))(static_cast<long>(x.size()), out.data(), in, scalars); \
  lines.push_back({#name, digest(out)});
  SAMEBITS_ELEMENTWISE(X)
#undef X

  for (const long depth : {7L, 300L, 5000L}) {
    const long m = 17;
    const long n = 45;
    const auto a = ordinary(static_cast<size_t>(m * depth));
    const auto b = ordinary(static_cast<size_t>(depth * n));
    std::vector<float> c(static_cast<size_t>(m * n));
    Products<float> p{};
    p.first = {m, n, depth, {a.data(), depth, 1}, {b.data(), n, 1}, {c.data(), n, 1}, {nullptr, 0, 0}, 1, 1};
    p.count = 1;
    k.products_f32(p, 3);
    lines.push_back({"product_" + std::to_string(depth), digest(c)});
  }

  const auto long_row = ordinary(10000);
  std::vector<float> sum(1);
  k.sum_rows_f32({long_row.data(), long_row.data(), sum.data(), 1, 0, 1, 0, 1, 0, 10000, Summand::kValue}, 2);
  lines.push_back({"sum", digest(sum)});
  std::vector<float> columns(100);
  k.sum_columns_f32({long_row.data(), columns.data(), 1, 0, 100, 100, 100, Summand::kSquare}, 2);
  lines.push_back({"sum_of_columns", digest(columns)});

  std::vector<float> rows(10000);
  k.softmax({100, 100}, long_row.data(), rows.data(), 2);
  lines.push_back({"softmax", digest(rows)});
  k.log_softmax({100, 100}, long_row.data(), rows.data(), 2);
  lines.push_back({"log_softmax", digest(rows)});

  std::vector<float> mean(100), rstd(100);
  Norm<float> norm{};
  norm.x = long_row.data();
  norm.y = rows.data();
  norm.mean = mean.data();
  norm.rstd = rstd.data();
  norm.outer = 100;
  norm.outer_step = norm.length = 100;
  norm.inner = norm.pieces = norm.channel_length = 1;
  norm.eps = 1e-5f;
  norm.freedom = 100.0f;
  k.norm_f32(norm, 2);
  lines.push_back({"norm", digest(rows)});

  Convolution c{};
  c.images = 2;
  c.groups = 1;
  c.in_channels = 5;
  c.out_channels = 9;
  const long sizes[6][3] = {{1, 13, 11}, {1, 7, 6}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}};
  long* fields[6] = {c.in, c.out, c.kernel, c.stride, c.padding, c.dilation};
  for (int f = 0; f < 6; ++f) std::memcpy(fields[f], sizes[f], sizeof sizes[f]);
  const auto image = ordinary(static_cast<size_t>(2 * 5 * c.in_places()));
  const auto weight = ordinary(static_cast<size_t>(9 * 5 * c.taps()));
  const auto grad = ordinary(static_cast<size_t>(2 * 9 * c.out_places()));
  std::vector<float> forward(grad.size()), inner(image.size()), taps(weight.size());
  k.convolution_f32(c, {image.data(), nullptr, weight.data(), nullptr, forward.data()}, 2);
  lines.push_back({"convolution", digest(forward)});
  k.convolution_input_f32(c, {nullptr, grad.data(), weight.data(), nullptr, inner.data()}, 2);
  lines.push_back({"convolution_input", digest(inner)});
  k.convolution_weight_f32(c, {image.data(), grad.data(), nullptr, nullptr, taps.data()}, 2);
  lines.push_back({"convolution_weight", digest(taps)});

  std::vector<float> random(1001);
  k.random_uniform(0x123456789ABCDEFu, 1001, random.data(), -1.0f, 2.0f, 2);
  lines.push_back({"random_uniform", digest(random)});
  k.random_normal(0x123456789ABCDEFu, 1001, random.data(), 0.0f, 1.0f, 2);
  lines.push_back({"random_normal", digest(random)});
  k.random_exponential(0x123456789ABCDEFu, 1001, random.data(), 1.5f, 2);
  lines.push_back({"random_exponential", digest(random)});
  k.random_bernoulli(0x123456789ABCDEFu, 1001, random.data(), 0x40000000u, 2);
  lines.push_back({"random_bernoulli", digest(random)});

  const auto grads = ordinary(10000);
  std::vector<float> back(10000);
  k.softmax({100, 100}, long_row.data(), rows.data(), 2);
  k.softmax_backward({100, 100}, grads.data(), rows.data(), back.data(), 2);
  lines.push_back({"softmax_backward", digest(back)});
  k.log_softmax({100, 100}, long_row.data(), rows.data(), 2);
  k.log_softmax_backward({100, 100}, grads.data(), rows.data(), back.data(), 2);
  lines.push_back({"log_softmax_backward", digest(back)});
  NormBackward<float> turn{};
  turn.grad = grads.data();
  turn.x = long_row.data();
  turn.mean = mean.data();
  turn.rstd = rstd.data();
  turn.grad_x = back.data();
  turn.outer = turn.outer_step = turn.length = 100;
  turn.inner = turn.pieces = turn.channel_length = 1;
  k.norm_backward_f32(turn, 2);
  lines.push_back({"norm_backward", digest(back)});

  // Places, halves and strides: what lies around the builds.
  std::vector<float> target(7 * 10);
  std::vector<int64_t> index(1000);
  for (int64_t& place : index) place = source.word() % 7;
  k.add_rows_f32({target.data(), 7, index.data(), long_row.data(), 10, 1000, 10, -1}, 2);
  lines.push_back({"add_rows", digest(target)});
  for (size_t i = 0; i < index.size(); ++i) index[i] = index[i] * 10 + static_cast<int64_t>(i % 10);
  k.add_planes_f32({target.data(), 1, 70, index.data(), long_row.data(), 1000, 1, -1, false, false}, 2);
  lines.push_back({"add_planes", digest(target)});
  const std::pair<const char*, ScanKind> scans[] = {{"running_sum", ScanKind::kSum},
                                                    {"running_product", ScanKind::kProduct},
                                                    {"running_log_sum", ScanKind::kLogSumExp}};
  for (const auto& [name, kind] : scans) {
    k.scan_f32({long_row.data(), rows.data(), 1, 10000, 1, kind}, 2);
    lines.push_back({name, digest(rows)});
    k.scan_f32({long_row.data(), rows.data(), 1, 200, 50, kind}, 2);
    lines.push_back({std::string(name) + "_down", digest(rows)});
  }
  std::vector<float> all_multiplied(50);
  k.multiplied_f32({long_row.data(), all_multiplied.data(), 1, 200, 50}, 2);
  lines.push_back({"product_of_columns", digest(all_multiplied)});
  const DType halves[2] = {DType::kFloat16, DType::kBFloat16};
  for (const DType half : halves) {
    std::vector<uint16_t> narrow(x.size());
    std::vector<float> wide(x.size());
    ElementwiseCall call{};
    call.operation = Elementwise::copy;
    call.ndim = 2;
    call.shape[0] = call.shape[1] = 64;
    call.inputs = 1;
    call.in[0] = {x.data(), DType::kFloat32, {1, 64}};  // transposed
    call.out = {narrow.data(), half, {64, 1}};
    run_elementwise(call, 2);
    call.in[0] = {narrow.data(), half, {64, 1}};
    call.out = {wide.data(), DType::kFloat32, {64, 1}};
    run_elementwise(call, 2);
    lines.push_back({half == DType::kFloat16 ? "float16" : "bfloat16", digest(wide)});
  }

  std::vector<double> wide_x(10000), wide_y(10000), wide_out(10000);
  for (double& value : wide_x) value = source.ordinary() + source.ordinary() * 0x1p-30;
  for (double& value : wide_y) value = source.ordinary() + source.ordinary() * 0x1p-30;
  const void* wide_in[3] = {wide_x.data(), wide_y.data(), wide_x.data()};
  const std::pair<const char*, Elementwise> of_f64[] = {{"f64_sqrt", Elementwise::sqrt},
                                                        {"f64_rsqrt", Elementwise::rsqrt},
                                                        {"f64_div", Elementwise::div},
                                                        {"f64_addcdiv", Elementwise::addcdiv}};
  for (const auto& [name, operation] : of_f64) {
    k.elementwise_f64(static_cast<int>(operation))(10000, wide_out.data(), wide_in, scalars);
    lines.push_back({name, digest(wide_out)});
  }
  Products<double> wide{};
  wide.first = {10, 10, 1000, {wide_x.data(), 1000, 1}, {wide_y.data(), 10, 1}, {wide_out.data(), 10, 1}, {nullptr, 0, 0}, 1, 1};
  wide.count = 1;
  k.products_f64(wide, 3);
  lines.push_back({"f64_product", digest(wide_out)});
  k.sum_rows_f64({wide_x.data(), wide_x.data(), wide_out.data(), 1, 0, 1, 0, 1, 0, 10000, Summand::kSquare}, 2);
  lines.push_back({"f64_sum_of_squares", digest(wide_out)});

  std::vector<float> parameter = ordinary(5000), gradient = ordinary(5000), average(5000), square(5000);
  for (const float rate : {-0.01f, -0.02f}) {
    k.adam_f32({5000, parameter.data(), gradient.data(), average.data(), square.data(), true, false, 0.999f, 0, 0.1f,
                0.999f, 0.001f, 0.0316f, 1e-8f, rate}, 3);
  }
  lines.push_back({"adam", digest(parameter)});
  lines.push_back({"adam_average", digest(average)});
  lines.push_back({"adam_square", digest(square)});

  // Every function of binary64, of numbers of every size; whole numbers decide for many of the first ones.
  std::vector<double> functions_x(10000), functions_y(10000);
  for (size_t i = 0; i < functions_x.size(); ++i) {
    const uint64_t pattern = static_cast<uint64_t>(source.word()) << 32 | source.word();
    std::memcpy(&functions_x[i], &pattern, 8);
    if (i >= 300) functions_x[i] = source.ordinary() + source.ordinary() * 0x1p-30;
    functions_y[i] = source.ordinary() + source.ordinary() * 0x1p-30;
  }
  const void* functions_in[3] = {functions_x.data(), functions_y.data(), functions_x.data()};
#define X(name, tensors, in_f64)                                                                          \
  k.elementwise_f64(static_cast<int>(Elementwise::name))(10000, wide_out.data(), functions_in, scalars); \
  lines.push_back({"f64_all_" #name, digest(wide_out)});
  SAMEBITS_ELEMENTWISE(X)
#undef X
  add_small_images(&lines);
  return lines;
}

// How many lines of the file the active build disagrees with; -1 when the file cannot be used.
int differences(const char* path) {
  const std::vector<Line> lines = all_results();
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) {
    std::fprintf(stderr, "cannot read %s\n", path);
    return -1;
  }
  size_t place = 0;
  int different = 0;
  char name[64];
  unsigned long long value;
  while (std::fscanf(file, "%63s %llx", name, &value) == 2) {
    if (place >= lines.size() || lines[place].name != name || lines[place].value != value) {
      std::fprintf(stderr, "%s: %s differs\n", kernels().name, name);
      ++different;
    }
    ++place;
  }
  std::fclose(file);
  if (place != lines.size()) {
    std::fprintf(stderr, "%s holds %zu results of %zu\n", path, place, lines.size());
    return -1;
  }
  std::printf("%s: %zu results, %d differ\n", kernels().name, place, different);
  return different;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const Line& line : all_results()) {
      std::printf("%s %016llx\n", line.name.c_str(), static_cast<unsigned long long>(line.value));
    }
    return 0;
  }
  int worst = 0;
  for (const char* name : {"avx512", "avx2", "neon", "plain"}) {
    if (!choose_build(name)) continue;
    const int found = differences(argv[1]);
    if (found < 0) return 2;
    if (found > 0) worst = 1;
  }
  return worst;
}
