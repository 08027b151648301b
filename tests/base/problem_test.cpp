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

// One element is worded as one; braces that are no choice stay as they are.
TEST(ProblemCollector, OneAndMany) {
  const auto sentence = [](int count, const char* pattern) {
    Problems problems;
    ProblemCollector collector;
    for (Index i = 0; i < count; ++i) collector.add(i);
    collector.report(problems, Severity::warning, "code", pattern);
    return problems.at(0).sentence;
  };
  const char* pattern = "{} vert{ex|ices} {has|have} no weight; {it follows|they follow} a joint{|s}";
  EXPECT_EQ(sentence(1, pattern), "1 vertex has no weight; it follows a joint");
  EXPECT_EQ(sentence(2, pattern), "2 vertices have no weight; they follow a joints");
  EXPECT_EQ(sentence(1, "{} key{|s} of {Arm|Leg"), "1 key of {Arm|Leg");
  EXPECT_EQ(sentence(3, "{x} a|b {} key{|s} }"), "{x} a|b 3 keys }");
}

// Severities have the names that reports use.
TEST(Problem, SeverityNames) {
  EXPECT_STREQ(to_string(Severity::note), "note");
  EXPECT_STREQ(to_string(Severity::warning), "warning");
  EXPECT_STREQ(to_string(Severity::error), "error");
}

}  // namespace
}  // namespace isochor
