#include "isochor/io/medit.h"

#include "isochor/base/error.h"
#include "isochor/mesh/topology.h"
#include "support/data.h"

namespace isochor {
namespace {

using test::shared_data;

const char* const kTetrahedron = R"(MeshVersionFormatted 1
# a comment
Dimension 3
Vertices 5
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1 0
0.1 0.1 0.1 0
Triangles
2
1 3 2 0
1 2 4 0
Quadrilaterals 1
1 2 3 4 7
Tetrahedra
1
1 2 3 4 0
End
)";

// Triangles and quadrilaterals form the surface; inner vertices keep their place; other sections are noted.
TEST(Medit, ReadsSurface) {
  const Character character = parse_medit(kTetrahedron);
  const Surface& surface = character.parts.at(0).surface;
  EXPECT_EQ(surface.vertex_count(), 5U);
  EXPECT_EQ(surface.corners, (std::vector<Index>{0, 2, 1, 0, 1, 3, 0, 1, 2, 3}));
  EXPECT_EQ(surface.face_begin, (std::vector<Index>{0, 3, 6, 10}));
  ASSERT_EQ(character.problems.size(), 1U);
  EXPECT_NE(character.problems[0].sentence.find("Tetrahedra"), std::string::npos);
}

// Broken files are refused.
TEST(Medit, RefusesBrokenFiles) {
  const std::string head = "MeshVersionFormatted 1 Dimension 3 ";
  for (const std::string& text :
       {std::string(), std::string("OFF"), head, head + "Vertices 2\n0 0 0 0\n", head + "Vertices 1\n0 0 nan 0\n",
        head + "Vertices 1\n0 0 0 0\nTriangles 1\n1 1 2 0\n", head + "Vertices 1\n0 0 0 0\nTriangles 1\n0 1 1 0\n",
        head + "Vertices 1\n0 0 0 0\nTriangles 99999999999\n1 1 1 0\n", head + "Vertices 1\n0 0 0 0\n1 2 3\n",
        std::string("MeshVersionFormatted 1 Dimension 2 Vertices 0")}) {
    EXPECT_THROW(parse_medit(text), Error) << text;
  }
}

// A file cut off anywhere is read or refused, never worse.
TEST(Medit, TruncatedAnywhere) {
  const std::string text = kTetrahedron;
  for (std::size_t n = 0; n < text.size(); ++n) {
    try {
      parse_medit(std::string_view(text).substr(0, n));
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

// The hand is one closed surface of 4780 vertices, without the solid's inner vertices.
TEST(Medit, RealFile) {
  SKIP_WITHOUT_SHARED_DATA();
  const Character character = read_medit(shared_data() / "libigl-hand/hand.mesh");
  const Surface& surface = character.parts.at(0).surface;
  EXPECT_EQ(surface.vertex_count(), 7234U);
  EXPECT_EQ(surface.face_count(), 9556U);
  const Topology topology = analyse(surface);
  ASSERT_EQ(topology.components.size(), 1U);
  EXPECT_TRUE(topology.components[0].closed);
  EXPECT_EQ(topology.components[0].vertices.size(), 4780U);
}

}  // namespace
}  // namespace isochor
