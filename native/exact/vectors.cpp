// Computes a fixed set of results and prints a digest of their bits, or compares it with a file.
//
//   vectors                 prints "name digest" lines
//   vectors FILE            compares with the lines of a file; exit code 1 and the names that differ
//
// Inputs come from a small generator of whole numbers, so that every architecture has the same.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "exact/builds.hpp"
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
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Line> lines = all_results();
  if (argc < 2) {
    for (const Line& line : lines) std::printf("%s %016llx\n", line.name.c_str(), static_cast<unsigned long long>(line.value));
    return 0;
  }
  std::FILE* file = std::fopen(argv[1], "r");
  if (file == nullptr) {
    std::fprintf(stderr, "cannot read %s\n", argv[1]);
    return 2;
  }
  size_t place = 0;
  int different = 0;
  char name[64];
  unsigned long long value;
  while (std::fscanf(file, "%63s %llx", name, &value) == 2) {
    if (place >= lines.size() || lines[place].name != name || lines[place].value != value) {
      std::fprintf(stderr, "%s differs\n", name);
      ++different;
    }
    ++place;
  }
  std::fclose(file);
  if (place != lines.size()) {
    std::fprintf(stderr, "%s holds %zu results of %zu\n", argv[1], place, lines.size());
    return 1;
  }
  std::printf("%zu results, %d differ\n", place, different);
  return different == 0 ? 0 : 1;
}
