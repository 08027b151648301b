#include "isochor/base/context.h"

#include <algorithm>

#include "isochor/base/error.h"

namespace isochor {

void Context::progress(std::string_view stage, double fraction) const {
  check_cancelled();
  if (progress_) progress_(stage, std::clamp(fraction, 0.0, 1.0));
}

void Context::check_cancelled() const {
  if (cancelled()) throw Error(ErrorKind::cancelled, "stopped, as asked");
}

double Context::seconds(std::string_view stage) const {
  for (const StageTime& time : times_) {
    if (time.name == stage) return time.seconds;
  }
  return 0;
}

void Context::add_seconds(std::string_view stage, double seconds) {
  for (StageTime& time : times_) {
    if (time.name == stage) {
      time.seconds += seconds;
      return;
    }
  }
  times_.push_back({std::string(stage), seconds});
}

}  // namespace isochor
