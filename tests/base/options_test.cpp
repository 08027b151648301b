#include "isochor/base/options.h"

#include <gtest/gtest.h>

namespace isochor {

enum class Colour { red, green };
template <>
struct EnumNames<Colour> {
  static constexpr std::array names{"red", "green"};
};

namespace {

struct PaintOptions {
  double thickness = 0.5;
  int layers = 2;
  Colour colour = Colour::green;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, PaintOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.thickness, FieldInfo{.name = "thickness", .help = "how thick", .unit = "mm", .min = 0, .max = 1});
  visit(options.layers, FieldInfo{.name = "layers", .help = "how many", .min = 1, .max = 9});
  visit(options.colour, FieldInfo{.name = "colour", .help = "which"});
}

// Defaults lie within their own ranges.
TEST(Options, DefaultsPass) { EXPECT_NO_THROW(check_ranges(PaintOptions{})); }

// A value outside its range is refused with the option's name; so is one that is not a number.
TEST(Options, OutOfRangeIsRefusedByName) {
  for (const double bad : {-0.1, 1.1, std::nan("")}) {
    try {
      check_ranges(PaintOptions{.thickness = bad});
      FAIL() << bad;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("thickness must be between 0 and 1"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(check_ranges(PaintOptions{.layers = 0}), Error);
}

// Ranges read as a person would say them.
TEST(Options, RangesInWords) {
  EXPECT_EQ(range_text({.name = "", .help = "", .min = 0, .max = 0.01}), "between 0 and 0.01");
  EXPECT_EQ(range_text({.name = "", .help = "", .min = 1}), "at least 1");
  EXPECT_EQ(range_text({.name = "", .help = "", .max = 5}), "at most 5");
  EXPECT_EQ(range_text({.name = "", .help = ""}), "a number");
}

// Enum values are named by the table beside the enum.
TEST(Options, EnumsHaveNames) { EXPECT_EQ(enum_name(Colour::green), "green"); }

}  // namespace
}  // namespace isochor
