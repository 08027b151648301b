#include "isochor/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>

#ifdef ISOCHOR_WITH_TBB
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace isochor {
namespace {

Range chunk_range(std::size_t i, std::size_t chunk, std::size_t n) { return {i * chunk, std::min(n, (i + 1) * chunk)}; }

}  // namespace

int effective_threads(const Context& context) {
#ifdef ISOCHOR_WITH_TBB
  if (context.threads() == 1) return 1;  // without waking TBB up
  // More threads than the machine has would gain nothing, and TBB would complain on the terminal.
  const int available = tbb::info::default_concurrency();
  return context.threads() > 0 ? std::min(context.threads(), available) : available;
#else
  (void)context;
  return 1;
#endif
}

std::size_t chunk_in_memory(std::size_t bytes) {
  constexpr std::size_t kLeast = 2, kMost = 32, kAllBytes = 64 << 20;
  return std::clamp(kAllBytes / std::max<std::size_t>(bytes, 1), kLeast, kMost);
}

void parallel_for(const Context& context, std::size_t n, std::size_t chunk, const std::function<void(Range)>& body) {
  chunk = std::max<std::size_t>(chunk, 1);
  const std::size_t chunks = (n + chunk - 1) / chunk;
#ifdef ISOCHOR_WITH_TBB
  if (chunks > 1 && effective_threads(context) > 1) {
    const auto loop = [&] {
      tbb::parallel_for(
          std::size_t{0}, chunks,
          [&](std::size_t i) {
            context.check_cancelled();
            body(chunk_range(i, chunk, n));
          },
          tbb::auto_partitioner{});
    };
    // The default arena is used as it is; an explicit number of threads needs one of its own.
    if (context.threads() == 0) {
      loop();
    } else {
      tbb::task_arena(effective_threads(context)).execute(loop);
    }
    return;
  }
#endif
  for (std::size_t i = 0; i < chunks; ++i) {
    context.check_cancelled();
    body(chunk_range(i, chunk, n));
  }
}

void parallel_for(Context& context, std::string_view stage, std::size_t n, std::size_t chunk,
                  const std::function<void(Range)>& body) {
  const auto caller = std::this_thread::get_id();
  std::atomic<std::size_t> done = 0;
  context.progress(stage, 0);
  parallel_for(context, n, chunk, [&](Range range) {
    body(range);
    const std::size_t so_far = done += range.end - range.begin;
    // The end is told once, below.
    if (std::this_thread::get_id() == caller && so_far < n) {
      context.progress(stage, static_cast<double>(so_far) / static_cast<double>(n));
    }
  });
  context.progress(stage, 1);
}

double parallel_sum(const Context& context, std::size_t n, std::size_t chunk,
                    const std::function<double(Range)>& body) {
  chunk = std::max<std::size_t>(chunk, 1);
  std::vector<double> partial((n + chunk - 1) / chunk, 0.0);
  parallel_for(context, n, chunk, [&](Range range) { partial[range.begin / chunk] = body(range); });
  double sum = 0;
  for (const double p : partial) sum += p;
  return sum;
}

}  // namespace isochor
