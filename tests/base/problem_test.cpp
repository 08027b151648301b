#include "isochor/base/problem.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

// A collector without elements reports nothing.
TEST(ProblemCollector, NothingFoundNothingReported) {
  Problems problems;
  ProblemCollector().report(problems, Severity::error, "code", "{} things");
  EXPECT_TRUE(problems.empty());
}

// The count is put into the sentence, and only the first elements are kept.
TEST(ProblemCollector, CountsAllKeepsTheFirst) {
  Problems problems;
  ProblemCollector collector;
  for (Index i = 0; i < 100; ++i) collector.add(i * 2);
  collector.report(problems, Severity::warning, "even", "{} numbers are even");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].sentence, "100 numbers are even");
  EXPECT_EQ(problems[0].count, 100);
  ASSERT_EQ(problems[0].elements.size(), Problem::kMaxElements);
  EXPECT_EQ(problems[0].elements[3], 6);
}

// Severities have the names that reports use.
TEST(Problem, SeverityNames) {
  EXPECT_STREQ(to_string(Severity::note), "note");
  EXPECT_STREQ(to_string(Severity::warning), "warning");
  EXPECT_STREQ(to_string(Severity::error), "error");
}

}  // namespace
}  // namespace isochor
