#include "isochor/io/off.h"

#include "helpers.h"
#include "isochor/base/error.h"
#include "support/data.h"

namespace isochor {
namespace {

using test::expect_square_and_triangle;

std::string off_refusal(std::string_view bytes) {
  try {
    parse_off(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const char* const kOffText =
    "OFF\n# comment\n\n5 3 0\n0 0 0\n1 0 0 # corner\n1 1 0\n0 1 0\n2 0 0.5\n4 0 1 2 3\n3 1 4 2 0.5 0.5 0.5\n2 0 1\n";

// Vertices keep their order and faces their corners; colours are passed over; counts may stand on the first line.
TEST(Off, Reads) {
  const Character character = parse_off(kOffText);
  expect_square_and_triangle(character);
  EXPECT_EQ(character.problems.at(0).code, "small-faces");
  expect_square_and_triangle(
      parse_off("COFF 5 2 0\r\n0 0 0 1 1 1 1\r\n1 0 0 1 1 1 1\r\n1 1 0 1 1 1 1\r\n0 1 0 1 1 1 1\r\n2 0 0.5 1 1 1 "
                "1\r\n4 0 1 2 3\r\n3 1 4 2\r\n"));
}

// Broken files are refused.
TEST(Off, RefusesBrokenFiles) {
  EXPECT_NE(off_refusal("").find("empty"), std::string::npos);
  EXPECT_NE(off_refusal("PFF").find("begin"), std::string::npos);
  EXPECT_NE(off_refusal("OFF BINARY\n").find("binary"), std::string::npos);
  EXPECT_NE(off_refusal("OFF\n0 0 0\n").find("how many"), std::string::npos);
  EXPECT_NE(off_refusal("OFF\n999999999 1 0\n0 0 0\n").find("last vertex"), std::string::npos);
  EXPECT_NE(off_refusal("OFF\n1 1 0\n0 0 0\n").find("last face"), std::string::npos);
  EXPECT_NE(off_refusal("OFF\n1 1 0\n0 0 0\n3 0 0 7\n").find("line 4"), std::string::npos);
  EXPECT_NE(off_refusal("OFF\n1 1 0\n0 0 0\n3 0 0 -1\n").find("line 4"), std::string::npos);
  EXPECT_NE(off_refusal("OFF\n1 1 0\n0 0 0\n999999999 0 0\n").find("line 4"), std::string::npos);
  EXPECT_NE(off_refusal("OFF\n1 1 0\n0 inf 0\n3 0 0 0\n").find("not finite"), std::string::npos);
}

// A file cut off anywhere is read or refused, never worse.
TEST(Off, TruncatedAnywhere) {
  const std::string bytes = kOffText;
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    try {
      parse_off(std::string_view(bytes).substr(0, n));
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

// The armadillo has its vertices and faces.
TEST(Off, RealFile) {
  SKIP_WITHOUT_SHARED_DATA();
  const Character character = read_off(test::shared_data() / "armadillo/armadillo_LR3.off");
  EXPECT_EQ(character.parts[0].surface.vertex_count(), 5189U);
  EXPECT_EQ(character.parts[0].surface.face_count(), 10374U);
}

}  // namespace
}  // namespace isochor
