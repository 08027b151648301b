#include <gtest/gtest.h>

#include "isochor/bind/bind.h"

namespace isochor {
namespace {

BindMethod implied_by(const std::vector<std::string>& options) { return implied_method(options); }

// Who asks for voxels or for a falloff means the method that reads them; other options leave the choice open, those of
// other methods too.
TEST(BindOptions, ImpliedMethod) {
  EXPECT_EQ(implied_by({}), BindMethod::automatic);
  EXPECT_EQ(implied_by({"influences", "symmetric", "heat-stiffness", "medial-width"}), BindMethod::automatic);
  for (const char* option : {"falloff", "joint-falloff", "resolution", "penalty", "sampling", "smoothing", "nearest",
                             "uniform-grid", "facing"}) {
    EXPECT_EQ(implied_by({"influences", option}), BindMethod::gvb) << option;
  }
}

// Every option that describe() gives to somebody is read by some method, and what concerns one method alone by no
// other.
TEST(BindOptions, WhichMethodReadsWhat) {
  using enum BindMethod;
  BindOptions options;
  describe(options, [](const auto&, const FieldInfo& info) {
    bool read = false;
    for (const BindMethod method : {automatic, gvb, geodesic_heat, heat, distance, medial}) {
      read |= reads_option(method, info.name);
    }
    EXPECT_TRUE(read) << info.name;
  });
  EXPECT_TRUE(reads_option(medial, "resolution"));
  EXPECT_FALSE(reads_option(heat, "resolution"));
  EXPECT_FALSE(reads_option(gvb, "distance-exponent"));
  EXPECT_FALSE(reads_option(geodesic_heat, "falloff"));
  EXPECT_TRUE(reads_option(heat, "influences"));
}

// The settings of the paper are those of its grid, its falloff and its limits of weights, with bones as they are.
TEST(BindOptions, Paper) {
  const BindOptions paper = BindOptions::paper();
  EXPECT_EQ(paper.method, BindMethod::gvb);
  EXPECT_EQ(paper.gvb.resolution, 256);
  EXPECT_EQ(paper.gvb.sampling, GvbSampling::containing);
  EXPECT_EQ(paper.falloff, 0.1);
  EXPECT_EQ(paper.limits.influences, 4);
  EXPECT_EQ(paper.limits.prune, 0);
  EXPECT_EQ(paper.handles.rules, BoneRules::off);
}

}  // namespace
}  // namespace isochor
