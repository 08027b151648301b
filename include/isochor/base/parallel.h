#pragma once

/// Deterministic parallel loops: oneTBB natively, serial without it (ISOCHOR_WITH_TBB undefined in the built library).
/// Work is cut into chunks of a fixed size, whatever the number of threads, so that sums come out bit for bit the same.

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "isochor/base/context.h"

namespace isochor {

/// Half-open range of indices.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Calls body(range) for the chunks [0, chunk), [chunk, 2 chunk) … of [0, n), on context.threads() threads, in any
/// order. Chunks must not write to shared data. An exception in a chunk is rethrown to the caller; the other chunks may
/// be skipped.
void parallel_for(const Context& context, std::size_t n, std::size_t chunk, const std::function<void(Range)>& body);
/// The same, with its progress reported as that of `stage`, by the thread that calls.
void parallel_for(Context& context, std::string_view stage, std::size_t n, std::size_t chunk,
                  const std::function<void(Range)>& body);

/// Σ over chunks of body(range), added in the order of the chunks: the same bits for any number of threads.
double parallel_sum(const Context& context, std::size_t n, std::size_t chunk, const std::function<double(Range)>& body);

/// A chunk of things that take `bytes` each while they are worked on: many are quicker together, as long as they take
/// no more than 64 MB for each thread. 2 to 32.
std::size_t chunk_in_memory(std::size_t bytes);

/// The number of threads that parallel loops use for this context: at most as many as the machine has; 1 without TBB.
int effective_threads(const Context& context);

}  // namespace isochor
