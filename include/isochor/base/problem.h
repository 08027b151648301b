#pragma once

/// What a validator or a reader found: a reason, with the elements that are concerned. Results carry these as evidence.

#include <string>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

enum class Severity {
  note,     ///< worth knowing, nothing was changed
  warning,  ///< repaired, or handled in a way that the user may want to check
  error,    ///< the data cannot be used as it is
};

struct Problem {
  Severity severity = Severity::warning;
  std::string code;      ///< stable and machine readable, e.g. "weights-not-normalised"
  std::string sentence;  ///< for a person
  /// The first elements concerned (at most kMaxElements), in increasing order.
  std::vector<Index> elements;
  std::int64_t count = 0;  ///< how many there are in all

  static constexpr std::size_t kMaxElements = 16;
};

using Problems = std::vector<Problem>;

/// Counts elements and keeps the first few; turns into one Problem at the end, or none if nothing was added.
class ProblemCollector {
 public:
  void add(Index element) {
    if (elements_.size() < Problem::kMaxElements) elements_.push_back(element);
    ++count_;
  }
  std::int64_t count() const { return count_; }
  /// Appends a problem if at least one element was added. `sentence` may hold one "{}" for the count, and "{one|many}"
  /// wherever it is worded differently for one element: "{} vert{ex|ices} {has|have} no weight".
  void report(Problems& out, Severity severity, std::string code, std::string sentence) const;

 private:
  std::vector<Index> elements_;
  std::int64_t count_ = 0;
};

const char* to_string(Severity severity);

}  // namespace isochor
