// The states of three Mersenne Twisters as their owners keep them in memory, set from one key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "data/philox.hpp"

namespace samebits::data {

constexpr std::size_t kTwisterWords = 624;  // of 32 bits, in one state

// What one key stands for, in the order of its Philox stream. Little-endian memory is assumed: the
// caller compares with what the public functions of each library say before it relies on this.
struct Expanded {
  std::array<std::uint32_t, kTwisterWords> python;
  std::array<std::uint32_t, kTwisterWords> numpy;
  std::array<std::uint32_t, kTwisterWords> torch;
  std::array<std::uint64_t, 4> seeds;
};
static_assert(sizeof(Expanded) == 940 * sizeof(std::uint64_t));

// `_random.Random` after its object header.
struct PythonBlock {
  std::int32_t index;
  std::array<std::uint32_t, kTwisterWords> state;
};

// `mt19937_state` of NumPy's bit generator.
struct NumpyBlock {
  std::array<std::uint32_t, kTwisterWords> state;
  std::int32_t position;
};

// The bytes of `torch.Generator.get_state()`, up to the end of the words.
struct TorchBlock {
  std::uint64_t seed;
  std::int32_t left;
  std::int32_t seeded;
  std::uint64_t next;
  std::array<std::uint64_t, kTwisterWords> state;
};

enum Drawn : int { kPython = 1, kNumpy = 2, kTorch = 4 };

// The words are given out as they are, and only after the last of them the twister makes new ones:
// that takes longer than all the rest, and few samples draw so much. torch cannot say that the very
// first word is still to come (it counts from 1 to 624 what is left), so there it is skipped.
constexpr std::int32_t kStart = 0;
constexpr std::int32_t kTorchLeft = 624;
constexpr std::uint64_t kTorchNext = 1;

// Which blocks hold something else than `words` put there; a null block is not asked.
inline int drawn(const Expanded& words, const PythonBlock* python, const NumpyBlock* numpy,
                 const TorchBlock* torch) {
  int found = 0;
  if (python != nullptr && (python->index != kStart || python->state != words.python)) {
    found |= kPython;
  }
  if (numpy != nullptr && (numpy->position != kStart || numpy->state != words.numpy)) {
    found |= kNumpy;
  }
  if (torch != nullptr) {
    bool same = torch->left == kTorchLeft && torch->next == kTorchNext;
    for (std::size_t i = 0; same && i < kTwisterWords; ++i) same = torch->state[i] == words.torch[i];
    if (!same) found |= kTorch;
  }
  return found;
}

// Fills `words` from `key`, and each block that is not null from `words`.
inline void set(Key key, Expanded& words, PythonBlock* python, NumpyBlock* numpy,
                TorchBlock* torch) {
  philox_fill(key, reinterpret_cast<std::uint64_t*>(&words), sizeof(Expanded) / 32);
  if (python != nullptr) *python = {kStart, words.python};
  if (numpy != nullptr) *numpy = {words.numpy, kStart};
  if (torch != nullptr) {
    torch->seed = words.seeds[0] >> 1;  // some read it as a signed number
    torch->left = kTorchLeft;
    torch->seeded = 1;
    torch->next = kTorchNext;
    for (std::size_t i = 0; i < kTwisterWords; ++i) torch->state[i] = words.torch[i];
  }
}

}  // namespace samebits::data
