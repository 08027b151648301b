#include "isochor/io/ply.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "helpers.h"
#include "isochor/base/error.h"
#include "support/data.h"

namespace isochor {
namespace {

using test::expect_square_and_triangle;

std::string ply_refusal(std::string_view bytes) {
  try {
    parse_ply(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class T>
void put(std::string& out, T value, bool reversed) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  if (reversed) std::reverse(bytes, bytes + sizeof(T));
  out.append(bytes, sizeof(T));
}

const char* const kPlyText = R"(ply
format ascii 1.0
comment a square and a triangle
element vertex 5
property float x
property float y
property float z
property uchar red
element face 3
property uchar flags
property list uchar int vertex_indices
element edge 1
property int vertex1
property int vertex2
end_header
0 0 0 255
1 0 0 255
1 1 0 255
0 1 0 255
2 0 0.5 255
0 4 0 1 2 3
0 3 1 4 2
0 2 0 1
0 1
)";

/// The same in binary. `reversed`: against the order of this machine, which is taken to be little endian.
std::string binary(bool reversed) {
  std::string bytes = kPlyText;
  bytes.resize(bytes.find("end_header\n") + 11);
  bytes.replace(bytes.find("ascii"), 5, reversed ? "binary_big_endian" : "binary_little_endian");
  for (const std::array<float, 3>& p : {std::array<float, 3>{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0.5F}}) {
    for (const float x : p) put(bytes, x, reversed);
    put(bytes, std::uint8_t{255}, reversed);
  }
  for (const std::vector<int>& face : {std::vector<int>{0, 1, 2, 3}, {1, 4, 2}, {0, 1}}) {
    put(bytes, std::uint8_t{0}, reversed);
    put(bytes, static_cast<std::uint8_t>(face.size()), reversed);
    for (const int v : face) put(bytes, static_cast<std::int32_t>(v), reversed);
  }
  put(bytes, std::int32_t{0}, reversed);
  put(bytes, std::int32_t{1}, reversed);
  return bytes;
}

// Vertices keep their order and faces their corners, in text and in binary of either byte order; what is no mesh is
// passed over.
TEST(Ply, TextAndBinary) {
  for (const std::string& bytes : {std::string(kPlyText), binary(false), binary(true)}) {
    const Character character = parse_ply(bytes);
    expect_square_and_triangle(character);
    ASSERT_EQ(character.problems.size(), 1U);
    EXPECT_EQ(character.problems[0].code, "small-faces");
  }
}

// Normals by vertex and numbers in double precision arrive as they are.
TEST(Ply, NormalsAndDoubles) {
  const Character character = parse_ply(
      "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty double x\r\nproperty double y\r\nproperty double z\r\n"
      "property float nx\r\nproperty float ny\r\nproperty float nz\r\nelement face 1\r\n"
      "property list uint uint vertex_index\r\nend_header\r\n0.1 0 0 0 0 1\r\n1 0 0 0 0 1\r\n0 1 0 0 1 0\r\n3 0 1 "
      "2\r\n");
  EXPECT_EQ(character.parts[0].surface.positions[0], Vec3(0.1, 0, 0));
  ASSERT_EQ(character.parts[0].normals.size(), 3U);
  EXPECT_EQ(character.parts[0].normals[2], Vec3(0, 1, 0));
}

// Broken files are refused.
TEST(Ply, RefusesBrokenFiles) {
  const auto changed = [](const char* from, const char* to) {
    std::string text = kPlyText;
    return text.replace(text.find(from), std::strlen(from), to);
  };
  EXPECT_NE(ply_refusal("").find("no end"), std::string::npos);
  EXPECT_NE(ply_refusal("plo\n").find("begin"), std::string::npos);
  EXPECT_NE(ply_refusal(changed("vertex 5", "vertex 999999999999")), "");
  EXPECT_NE(ply_refusal(changed("vertex 5", "vertex -5")).find("count"), std::string::npos);
  EXPECT_NE(ply_refusal(changed("0 3 1 4 2", "0 3 1 5 2")).find("face 1"), std::string::npos);
  EXPECT_NE(ply_refusal(changed("0 3 1 4 2", "0 3 1 -1 2")).find("face 1"), std::string::npos);
  EXPECT_NE(ply_refusal(changed("0 3 1 4 2", "0 3 1 0.5 2")).find("face 1"), std::string::npos);
  EXPECT_NE(ply_refusal(changed("0 4 0 1 2 3", "0 4e9 0 1 2 3")).find("length"), std::string::npos);
  EXPECT_NE(ply_refusal(changed("2 0 0.5", "2 0 nan")).find("vertex 4"), std::string::npos);
  EXPECT_NE(ply_refusal(changed("property float z\n", "")).find("x, y and z"), std::string::npos);
  EXPECT_NE(ply_refusal(changed("property float z", "property quad z")).find("unknown type"), std::string::npos);
  EXPECT_NE(ply_refusal(changed("vertex_indices", "vertices")).find("list of vertices"), std::string::npos);
  EXPECT_NE(ply_refusal(changed("element face 3", "element tristrips 3")), "");
  EXPECT_NE(ply_refusal("ply\nformat ascii 1.0\nelement vertex 99999999999999\nend_header\n").find("no face"),
            std::string::npos);
  EXPECT_NE(ply_refusal(binary(false).substr(0, binary(false).size() - 1)).find("ends before"), std::string::npos);
}

// A file cut off anywhere is read or refused, never worse.
TEST(Ply, TruncatedAnywhere) {
  const std::string bytes = binary(false);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    try {
      parse_ply(std::string_view(bytes).substr(0, n));
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

// By path, the part has the file's name; errors name the file.
TEST(Ply, ReadsByPath) {
  test::TempFolder folder;
  std::ofstream(folder / "shape.ply") << kPlyText;
  EXPECT_EQ(read_ply(folder / "shape.ply").parts[0].name, "shape");
  EXPECT_THROW(read_ply(folder / "none.ply"), Error);
}

}  // namespace
}  // namespace isochor
