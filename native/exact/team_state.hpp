// The floating-point state of the calling thread and of those on which torch computes for it.
#pragma once

#include <cstdint>
#include <vector>

namespace samebits::exact {

// Sets the plain state (rounding to nearest, subnormals kept) on the calling thread and on the threads of
// the OpenMP runtime that torch would give it now. Threads that are born later have the state of the one
// that makes them. Returns what each had, the calling thread's first.
std::vector<uint64_t> make_team_plain();

// The same where this thread's state has been changed since, or the runtime would give it another number of
// threads: some of these may have been born while it was another. Cheap enough for every operation.
void keep_team_plain();

// Gives the threads their states back; those for which none is known get the calling thread's.
void restore_team(const std::vector<uint64_t>& states);

}  // namespace samebits::exact
