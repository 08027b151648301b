#include "isochor/base/problem.h"

#include <utility>

namespace isochor {

void ProblemCollector::report(Problems& out, Severity severity, std::string code, std::string sentence) const {
  if (count_ == 0) return;
  if (const auto at = sentence.find("{}"); at != std::string::npos) sentence.replace(at, 2, std::to_string(count_));
  out.push_back({severity, std::move(code), std::move(sentence), elements_, count_});
}

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

}  // namespace isochor
