#include "isochor/io/stl.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "isochor/base/error.h"
#include "support/data.h"

namespace isochor {
namespace {

std::string stl_refusal(std::string_view bytes) {
  try {
    parse_stl(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

constexpr float kCorners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 1, 0, 0, 1, -0.0F}};

std::string text_stl() {
  std::string text = "solid two triangles\n";
  for (const auto& triangle : kCorners) {
    text += "facet normal 0 0 1\nouter loop\n";
    for (int c = 0; c < 9; c += 3) {
      text += "vertex " + std::to_string(triangle[c]) + " " + std::to_string(triangle[c + 1]) + " " +
              std::to_string(triangle[c + 2]) + "\n";
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid two triangles\n";
}

std::string binary_stl() {
  std::string bytes = "solid is how many a binary file begins, too";
  bytes.resize(80, ' ');
  put(bytes, std::uint32_t{2});
  for (const auto& triangle : kCorners) {
    for (const float n : {0.F, 0.F, 1.F}) put(bytes, n);
    for (const float x : triangle) put(bytes, x);
    put(bytes, std::uint16_t{0});
  }
  return bytes;
}

// Vertices of equal position are shared again; normals go to the corners.
TEST(Stl, TextAndBinary) {
  for (const std::string& bytes : {text_stl(), binary_stl()}) {
    const Character character = parse_stl(bytes);
    const Part& part = character.parts.at(0);
    EXPECT_EQ(part.surface.vertex_count(), 4U);
    EXPECT_EQ(part.surface.corners, (std::vector<Index>{0, 1, 2, 1, 3, 2}));
    ASSERT_EQ(part.corner_normals.size(), 6U);
    EXPECT_EQ(part.corner_normals[4], Vec3f(0, 0, 1));
    EXPECT_TRUE(character.problems.empty());
  }
}

// Triangles whose corners fall together are left out with a note; zero normals mean that there are none.
TEST(Stl, DegenerateTriangles) {
  std::string bytes = binary_stl();
  std::memcpy(bytes.data() + 84 + 12, bytes.data() + 84 + 24, 12);
  const float zero = 0;
  std::memcpy(bytes.data() + 84 + 50 + 8, &zero, 4);
  const Character character = parse_stl(bytes);
  EXPECT_EQ(character.parts[0].surface.face_count(), 1U);
  EXPECT_TRUE(character.parts[0].corner_normals.empty());
  EXPECT_EQ(character.problems.at(0).code, "degenerate-faces");
}

// Broken files are refused.
TEST(Stl, RefusesBrokenFiles) {
  EXPECT_NE(stl_refusal(""), "");
  EXPECT_NE(stl_refusal("solid a\nendsolid a\n").find("no triangle"), std::string::npos);
  EXPECT_NE(stl_refusal(text_stl().substr(0, 70)).find("ends"), std::string::npos);
  EXPECT_NE(stl_refusal("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n").find("three"),
            std::string::npos);
  EXPECT_NE(stl_refusal("solid a\nbanana\n").find("banana"), std::string::npos);
  EXPECT_NE(stl_refusal(std::string(200, 'x')).find("neither"), std::string::npos);
  std::string many = binary_stl();
  many[0] = 'x';
  many[83] = 0x7f;
  EXPECT_NE(stl_refusal(many).find("neither"), std::string::npos);
  std::string nan = binary_stl();
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(nan.data() + 84 + 12, &bad, 4);
  EXPECT_NE(stl_refusal(nan).find("triangle 0"), std::string::npos);
}

// A file cut off anywhere is read or refused, never worse.
TEST(Stl, TruncatedAnywhere) {
  const std::string bytes = text_stl();
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    try {
      parse_stl(std::string_view(bytes).substr(0, n));
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

// By path, the part has the file's name.
TEST(Stl, ReadsByPath) {
  test::TempFolder folder;
  std::ofstream(folder / "shape.stl", std::ios::binary) << binary_stl();
  EXPECT_EQ(read_stl(folder / "shape.stl").parts[0].name, "shape");
  EXPECT_THROW(read_stl(folder / "none.stl"), Error);
}

}  // namespace
}  // namespace isochor
