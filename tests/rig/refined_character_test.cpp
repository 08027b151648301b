#include "isochor/rig/refined_character.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

Character coarse_cylinder() {
  return make_sample("cylinder", {.cylinder = {.segments = 12, .rings = 13, .rounding = 0}});
}

/// 1 near the joint in the middle of the cylinder.
std::vector<double> around_joint(const WeldedCharacter& welded) {
  std::vector<double> values;
  for (const Vec3& p : welded.surface().positions) values.push_back(std::abs(p.y() - 1) < 0.3 ? 1 : 0);
  return values;
}

/// Every face with vertices of its own, as in files that are shaded flat.
Part apart(const Part& part, const std::vector<std::size_t>& faces) {
  Part out = part;
  out.surface = {};
  out.normals.clear();
  out.uvs.clear();
  out.weights = {};
  out.face_material.clear();
  for (const std::size_t f : faces) {
    std::vector<Index> corners;
    for (const Index v : part.surface.face(f)) {
      corners.push_back(static_cast<Index>(out.surface.vertex_count()));
      out.surface.positions.push_back(part.surface.positions[v]);
      out.weights.add_row(part.weights.row(v));
      out.uvs.emplace_back(static_cast<float>(f), static_cast<float>(part.surface.positions[v].y()));
    }
    out.surface.add_face(corners);
    if (!part.face_material.empty()) out.face_material.push_back(part.face_material[f]);
  }
  return out;
}

Character apart(const Character& character) {
  Character out = character;
  std::vector<std::size_t> faces(character.parts[0].surface.face_count());
  for (std::size_t f = 0; f < faces.size(); ++f) faces[f] = f;
  out.parts[0] = apart(character.parts[0], faces);
  return out;
}

/// The lower and the upper half of a cylinder as two parts with the same skin.
Character halves(const Character& character) {
  const Part& whole = character.parts[0];
  std::vector<std::size_t> low, high;
  for (std::size_t f = 0; f < whole.surface.face_count(); ++f) {
    double y = 0;
    for (const Index v : whole.surface.face(f)) y += whole.surface.positions[v].y() / 4;
    (y < 1 ? low : high).push_back(f);
  }
  Character out = character;
  out.parts = {apart(whole, low), apart(whole, high)};
  return out;
}

long euler(const Surface& surface, const Topology& topology) {
  return static_cast<long>(surface.vertex_count()) - static_cast<long>(topology.edges.size()) +
         static_cast<long>(surface.face_count());
}

void expect_closed(const WeldedCharacter& welded) {
  ASSERT_EQ(welded.topology().components.size(), 1u);
  const Component& c = welded.topology().components[0];
  EXPECT_TRUE(c.closed && c.manifold && c.oriented);
  EXPECT_EQ(euler(welded.surface(), welded.topology()), 2);
  EXPECT_TRUE(welded.topology().isolated_vertices.empty());
}

void expect_valid(const Character& character) {
  for (const Problem& problem : validate(character)) EXPECT_NE(problem.severity, Severity::error) << problem.sentence;
}

// What a part had comes first, unchanged; all arrays fit; weights are valid.
TEST(RefinedCharacter, KeepsWhatWasThere) {
  Character character = coarse_cylinder();
  MorphTarget morph{.name = "puff", .positions = {}, .normals = {}};
  for (const Vec3& p : character.parts[0].surface.positions) morph.positions.push_back(Vec3(p.y(), 0, 1));
  character.parts[0].morphs = {morph};
  character.parts[0].morph_weights = {0};
  const WeldedCharacter welded(character);
  const RefinedCharacter refined = refine(welded, {around_joint(welded)}, {.levels = 2});
  expect_valid(refined.character);
  const Part& was = character.parts[0];
  const Part& is = refined.character.parts[0];
  const std::size_t n = was.surface.vertex_count();
  ASSERT_GT(is.surface.vertex_count(), 2 * n);
  EXPECT_EQ(is.surface.vertex_count(), n + refined.parts[0].new_count());
  EXPECT_EQ(is.surface.face_count(), refined.parts[0].face_source.size());
  EXPECT_TRUE(std::equal(was.surface.positions.begin(), was.surface.positions.end(), is.surface.positions.begin()));
  for (std::size_t v = 0; v < n; ++v) {
    const auto a = was.weights.row(v), b = is.weights.row(v);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
  for (std::size_t v = n; v < is.surface.vertex_count(); ++v) {
    // The target is linear in y, and so is the surface along y.
    EXPECT_NEAR(is.morphs[0].positions[v].x(), is.surface.positions[v].y(), 1e-12);
    EXPECT_EQ(is.morphs[0].positions[v].z(), 1);
  }
  expect_closed(WeldedCharacter(refined.character));
  EXPECT_GT(refined.max_distance, 0);
  EXPECT_LT(refined.max_distance, 0.25 * (1 - std::cos(std::numbers::pi / 12)) * 1.1);  // the sagitta of a segment
}

// New weights lie on the curve that the old ones follow, not on its chords.
TEST(RefinedCharacter, WeightsAreSmooth) {
  const Character coarse = make_sample("cylinder", {.cylinder = {.segments = 12, .rings = 25, .rounding = 0}});
  const WeldedCharacter welded(coarse);
  const RefinedCharacter refined = refine(welded, {around_joint(welded)}, {});
  const Part& part = refined.character.parts[0];
  double smooth = 0, chord = 0;
  for (std::size_t n = 0; n < refined.parts[0].new_count(); ++n) {
    const std::size_t v = coarse.parts[0].surface.vertex_count() + n;
    const double y = part.surface.positions[v].y();
    if (std::abs(y - 1) > 0.2) continue;
    const double t = std::clamp((y - 0.75) / 0.5, 0.0, 1.0), exact = t * t * (3 - 2 * t);
    const auto weight = [&](Index at) {
      for (const Influence& i : part.weights.row(at)) {
        if (i.joint == 1) return i.weight;
      }
      return 0.0;
    };
    double mean = 0;
    const auto parents = refined.parts[0].parents_of(n);
    for (const Index p : parents) mean += weight(p) / static_cast<double>(parents.size());
    smooth = std::max(smooth, std::abs(weight(static_cast<Index>(v)) - exact));
    chord = std::max(chord, std::abs(mean - exact));
  }
  EXPECT_GT(chord, 1e-3);
  EXPECT_LT(smooth, 0.35 * chord);
}

// Seams of texture coordinates, normals and materials do not open: a character whose faces share no vertex is refined
// as the welded one is.
TEST(RefinedCharacter, SeamsStayClosed) {
  const Character whole = coarse_cylinder();
  const Character split = apart(whole);
  const WeldedCharacter a(whole), b(split);
  ASSERT_EQ(a.surface().vertex_count(), b.surface().vertex_count());
  const RefinedCharacter from_whole = refine(a, {around_joint(a)}, {.levels = 2});
  const RefinedCharacter from_split = refine(b, {around_joint(b)}, {.levels = 2});
  expect_valid(from_split.character);
  const WeldedCharacter again(from_split.character);
  expect_closed(again);
  EXPECT_TRUE(again.strays().empty());
  EXPECT_EQ(again.surface().vertex_count(), from_whole.character.parts[0].surface.vertex_count());
  // No vertex takes a texture coordinate from across a seam.
  const Part& part = from_split.character.parts[0];
  for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
    for (const Index v : part.surface.face(f)) {
      EXPECT_EQ(part.uvs[v].x(), static_cast<float>(from_split.parts[0].face_source[f]));
      EXPECT_NEAR(part.uvs[v].y(), part.surface.positions[v].y(), 1e-6);
    }
  }
}

// Several parts are refined as one surface, whichever of them a vertex was found in first.
TEST(RefinedCharacter, PartsStayTogether) {
  const Character character = halves(coarse_cylinder());
  const WeldedCharacter welded(character);
  expect_closed(welded);
  const RefinedCharacter refined = refine(welded, {around_joint(welded)}, {.levels = 3});
  expect_valid(refined.character);
  ASSERT_GT(refined.parts[0].new_count(), 0u);
  ASSERT_GT(refined.parts[1].new_count(), 0u);
  const WeldedCharacter again(refined.character);
  expect_closed(again);
  EXPECT_TRUE(again.strays().empty());
}

// A seam that its author left open, where sides follow other bones, opens as it did and no more: both sides take the
// means of their own weights.
TEST(RefinedCharacter, OpenSeamsKeepTheirSides) {
  Character character = halves(coarse_cylinder());
  Part& upper = character.parts[1];
  SkinWeights rows;
  for (std::size_t v = 0; v < upper.surface.vertex_count(); ++v) {
    const bool at_seam = std::abs(upper.surface.positions[v].y() - 1) < 1e-9;
    if (at_seam) {
      rows.add_row(std::vector<Influence>{{1, 1.0}});
    } else {
      rows.add_row(upper.weights.row(v));
    }
  }
  upper.weights = rows;
  const WeldedCharacter welded(character);
  ASSERT_FALSE(welded.strays().empty());
  const RefinedCharacter refined = refine(welded, {around_joint(welded)}, {});
  expect_valid(refined.character);
  std::size_t seam = 0;
  for (std::size_t n = 0; n < refined.parts[1].new_count(); ++n) {
    const Part& part = refined.character.parts[1];
    const std::size_t v = upper.surface.vertex_count() + n;
    if (std::abs(part.surface.positions[v].y() - 1) > 1e-9) continue;
    ++seam;
    ASSERT_EQ(part.weights.row(v).size(), 1u);
    EXPECT_EQ(part.weights.row(v)[0], (Influence{1, 1.0}));
  }
  EXPECT_GT(seam, 0u);
}

// Corner normals and texture coordinates, as OBJ and FBX have them, are carried inside each face.
TEST(RefinedCharacter, CarriesCorners) {
  Character character = coarse_cylinder();
  Part& part = character.parts[0];
  for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
    for (const Index v : part.surface.face(f)) {
      part.corner_uvs.emplace_back(static_cast<float>(f), static_cast<float>(part.surface.positions[v].y()));
      part.corner_normals.emplace_back(0, 0, f % 2 == 0 ? 1 : -1);
    }
  }
  const WeldedCharacter welded(character);
  const RefinedCharacter refined = refine(welded, {around_joint(welded)}, {.levels = 2});
  const Part& is = refined.character.parts[0];
  ASSERT_EQ(is.corner_uvs.size(), is.surface.corners.size());
  ASSERT_EQ(is.corner_normals.size(), is.surface.corners.size());
  for (std::size_t f = 0; f < is.surface.face_count(); ++f) {
    const auto source = refined.parts[0].face_source[f];
    for (Index c = is.surface.face_begin[f]; c < is.surface.face_begin[f + 1]; ++c) {
      EXPECT_EQ(is.corner_uvs[c].x(), static_cast<float>(source));
      EXPECT_NEAR(is.corner_uvs[c].y(), is.surface.positions[is.surface.corners[c]].y(), 1e-6);
      EXPECT_EQ(is.corner_normals[c].z(), source % 2 == 0 ? 1 : -1);
    }
  }
}

// Materials go with the faces; the other samples, with shells, sheets and an unskinned sword, stay what they are.
TEST(RefinedCharacter, Samples) {
  for (const char* name : {"giraffe", "elephant", "knight"}) {
    const Character character = make_sample(name);
    const WeldedCharacter welded(character);
    std::vector<double> values;
    for (std::size_t v = 0; v < welded.surface().vertex_count(); ++v) {
      double largest = 0;
      for (const Influence& i : welded.weights().row(v)) largest = std::max(largest, i.weight);
      values.push_back(1 - largest);
    }
    const RefinedCharacter refined = refine(welded, {values}, {.threshold = 0.3, .levels = 2});
    expect_valid(refined.character);
    const WeldedCharacter again(refined.character);
    ASSERT_EQ(again.topology().components.size(), welded.topology().components.size()) << name;
    for (std::size_t c = 0; c < welded.topology().components.size(); ++c) {
      const Component& was = welded.topology().components[c];
      const Component& is = again.topology().components[c];
      EXPECT_EQ(is.closed, was.closed) << name << c;
      EXPECT_EQ(is.manifold, was.manifold) << name << c;
      EXPECT_EQ(again.has_volume(c), welded.has_volume(c)) << name << c;
      if (!welded.has_volume(c)) continue;
      EXPECT_NEAR(again.rest_volumes()[c], welded.rest_volumes()[c], 0.02 * std::abs(welded.rest_volumes()[c])) << name;
    }
    EXPECT_EQ(euler(again.surface(), again.topology()) - euler(welded.surface(), welded.topology()),
              static_cast<long>(again.topology().isolated_vertices.size()) -
                  static_cast<long>(welded.topology().isolated_vertices.size()))
        << name;
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      const Part& part = refined.character.parts[p];
      if (part.face_material.empty()) continue;
      for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
        EXPECT_EQ(part.face_material[f], character.parts[p].face_material[refined.parts[p].face_source[f]]);
      }
    }
  }
}

// More vertices than allowed are refused with the number that there would be.
TEST(RefinedCharacter, RefusesTooMany) {
  const Character character = coarse_cylinder();
  const WeldedCharacter welded(character);
  EXPECT_THROW(refine(welded, {around_joint(welded)}, {.levels = 3, .max_vertices = 500}), Error);
}

}  // namespace
}  // namespace isochor
