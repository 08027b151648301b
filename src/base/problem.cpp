#include "isochor/base/problem.h"

#include <utility>

namespace isochor {

namespace {

/// "{one|many}" becomes the first for a single element, else the second.
void choose_forms(std::string& sentence, bool one) {
  for (std::size_t begin = 0; (begin = sentence.find('{', begin)) != std::string::npos;) {
    const std::size_t end = sentence.find('}', begin), middle = sentence.find('|', begin);
    if (end == std::string::npos) return;
    if (middle > end) {
      begin = end;
      continue;
    }
    const std::string form =
        one ? sentence.substr(begin + 1, middle - begin - 1) : sentence.substr(middle + 1, end - middle - 1);
    sentence.replace(begin, end + 1 - begin, form);
    begin += form.size();
  }
}

}  // namespace

void ProblemCollector::report(Problems& out, Severity severity, std::string code, std::string sentence) const {
  if (count_ == 0) return;
  if (const auto at = sentence.find("{}"); at != std::string::npos) sentence.replace(at, 2, std::to_string(count_));
  choose_forms(sentence, count_ == 1);
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
