// The states of three Mersenne Twisters as their owners keep them in memory, set from one key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "data/philox.hpp"

namespace samebits::data {

constexpr std::size_t kTwisterWords = 624;  // of 32 bits, in one state
using Twister = std::array<std::uint32_t, kTwisterWords>;

// What one key stands for, in the order of its Philox stream: three twisters, then seeds.
// Little-endian memory is assumed: the caller compares with what the public functions of each
// library say before it relies on this.
enum class Part : std::uint64_t { kPython, kNumpy, kTorch, kSeeds };
constexpr std::size_t kTwisterBlocks = sizeof(Twister) / kBlock;
constexpr std::size_t kAllBlocks = 3 * kTwisterBlocks + 1;
static_assert(kTwisterBlocks * kBlock == sizeof(Twister));

// Writes the twister of one part; `words` may have any alignment.
inline void expand(Key key, Part part, void* words) {
  philox_fill(key, static_cast<std::uint64_t>(part) * kTwisterBlocks, words, kTwisterBlocks);
}

inline std::array<std::uint64_t, 4> seeds(Key key) {
  std::array<std::uint64_t, 4> found;
  // One block: the wide build would compute sixteen.
  philox_fill_plain(key, static_cast<std::uint64_t>(Part::kSeeds) * kTwisterBlocks, found.data(),
                    1);
  return found;
}

// `_random.Random` after its object header.
struct PythonBlock {
  std::int32_t index;
  Twister state;
};

// `mt19937_state` of NumPy's bit generator.
struct NumpyBlock {
  Twister state;
  std::int32_t position;
};

// What NumPy's `RandomState` keeps of a pair of normals.
struct NumpyNormal {
  std::int32_t waiting;
  double value;
};

// The bytes of `torch.Generator.get_state()`, up to the end of the words.
struct TorchBlock {
  std::uint64_t seed;
  std::int32_t left;
  std::int32_t seeded;
  std::uint64_t next;
  std::array<std::uint64_t, kTwisterWords> state;
};

enum Drawn : int { kPythonDrawn = 1, kNumpyDrawn = 2, kTorchDrawn = 4 };

// The words are given out as they are, and only after the last of them the twister makes new ones:
// that takes longer than all the rest, and few samples draw so much. torch cannot say that the very
// first word is still to come (it counts from 1 to 624 what is left), so there it is skipped.
constexpr std::int32_t kStart = 0;
constexpr std::int32_t kTorchLeft = 624;
constexpr std::uint64_t kTorchNext = 1;

// Each sets a block to what `key` stands for.
inline void set(Key key, PythonBlock& python) {
  python.index = kStart;
  expand(key, Part::kPython, python.state.data());
}

inline void set(Key key, NumpyBlock& numpy) {
  expand(key, Part::kNumpy, numpy.state.data());
  numpy.position = kStart;
}

inline void set(Key key, TorchBlock& torch) {
  Twister words;
  expand(key, Part::kTorch, words.data());
  torch.seed = seeds(key)[0] >> 1;  // some read it as a signed number
  torch.left = kTorchLeft;
  torch.seeded = 1;
  torch.next = kTorchNext;
  for (std::size_t i = 0; i < kTwisterWords; ++i) torch.state[i] = words[i];
}

// Which blocks hold something else than `key` put there.
inline int drawn(Key key, const PythonBlock& python, const NumpyBlock& numpy,
                 const TorchBlock& torch) {
  int found = 0;
  Twister words;
  expand(key, Part::kPython, words.data());
  if (python.index != kStart || python.state != words) found |= kPythonDrawn;
  expand(key, Part::kNumpy, words.data());
  if (numpy.position != kStart || numpy.state != words) found |= kNumpyDrawn;
  expand(key, Part::kTorch, words.data());
  bool same = torch.left == kTorchLeft && torch.next == kTorchNext;
  for (std::size_t i = 0; same && i < kTwisterWords; ++i) same = torch.state[i] == words[i];
  return same ? found : found | kTorchDrawn;
}

}  // namespace samebits::data
