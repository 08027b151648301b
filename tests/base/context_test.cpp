#include "isochor/base/context.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"

namespace isochor {
namespace {

// Progress reaches the caller with the stage's name, clamped to [0, 1].
TEST(Context, ProgressReachesTheCaller) {
  Context context;
  std::vector<std::pair<std::string, double>> seen;
  context.set_progress([&](std::string_view stage, double f) { seen.emplace_back(stage, f); });
  context.progress("skin", 0.25);
  context.progress("skin", 1.5);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0], (std::pair<std::string, double>("skin", 0.25)));
  EXPECT_EQ(seen[1].second, 1.0);
}

// What is to stop does so at the next report, with an error of kind cancelled.
TEST(Context, StopsAtTheNextReport) {
  Context context;
  bool stop = false;
  context.set_stop([&] { return stop; });
  context.progress("a", 0);
  stop = true;
  try {
    context.progress("a", 0.5);
    FAIL() << "progress went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
}

// The caller is asked once for each report.
TEST(Context, AsksWhetherToStop) {
  Context context;
  int asked = 0;
  context.set_stop([&] { return ++asked == 3; });
  context.check_cancelled();
  context.progress("a", 0);
  EXPECT_THROW(context.check_cancelled(), Error);
  EXPECT_EQ(asked, 3);
}

// Times of a stage add up over its visits; stages keep the order in which they were first seen.
TEST(Context, StageTimesAddUp) {
  Context context;
  context.add_seconds("b", 1);
  context.add_seconds("a", 2);
  context.add_seconds("b", 3);
  ASSERT_EQ(context.times().size(), 2u);
  EXPECT_EQ(context.times()[0].name, "b");
  EXPECT_EQ(context.seconds("b"), 4);
  EXPECT_EQ(context.seconds("never"), 0);
}

// A stage timer adds a positive time when it goes out of scope.
TEST(Context, StageTimerMeasures) {
  Context context;
  { const StageTimer timer(context, "stage"); }
  EXPECT_GT(context.seconds("stage"), 0);
}

}  // namespace
}  // namespace isochor
