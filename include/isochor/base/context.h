#pragma once

/// What an algorithm may ask of its caller: progress, cancellation, a number of threads; and where it leaves its times.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace isochor {

/// Seconds spent in a named stage, summed over all its visits.
struct StageTime {
  std::string name;
  double seconds = 0;
};

class Context {
 public:
  /// Called with the stage's name and the fraction done in [0, 1]; from the thread that runs the algorithm.
  using Progress = std::function<void(std::string_view stage, double fraction)>;

  Context() = default;
  explicit Context(int threads) : threads_(threads) {}

  /// Threads to use; 0 means as many as the machine has. The result never depends on it.
  int threads() const { return threads_; }
  void set_threads(int threads) { threads_ = threads; }

  void set_progress(Progress progress) { progress_ = std::move(progress); }
  /// Reports progress; throws Error(cancelled) if the work is to stop.
  void progress(std::string_view stage, double fraction) const;

  /// Asked now and then whether to stop, on the threads that work: of a flag that another thread raises, say, or of the
  /// time that has passed.
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }
  bool cancelled() const { return stop_ && stop_(); }
  /// Throws Error(cancelled) if the work is to stop.
  void check_cancelled() const;

  const std::vector<StageTime>& times() const { return times_; }
  double seconds(std::string_view stage) const;
  void add_seconds(std::string_view stage, double seconds);

 private:
  int threads_ = 0;
  Progress progress_;
  std::function<bool()> stop_;
  std::vector<StageTime> times_;
};

/// Adds the time between its construction and its destruction to a stage of the context.
class StageTimer {
 public:
  StageTimer(Context& context, std::string_view stage)
      : context_(context), stage_(stage), start_(std::chrono::steady_clock::now()) {}
  ~StageTimer() {
    context_.add_seconds(stage_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  Context& context_;
  std::string stage_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace isochor
