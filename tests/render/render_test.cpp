#include "isochor/render/render.h"

#include <gtest/gtest.h>

#include "isochor/render/color_bar.h"
#include "render/render_shapes.h"
#include "support/shapes.h"

namespace isochor {
namespace {

using Rgb = std::array<std::uint8_t, 3>;
using test::plain_options;
using test::scene_of;
using test::sphere;

Image picture(const Scene& scene, const RenderOptions& options) {
  Context context(2);
  return render(scene, options, context).image;
}

Rgb mid_pixel(const Image& image) { return image.at(image.width / 2, image.height / 2); }

// A black sphere before a white ground covers π r² pixels, partly covered ones counted by their light.
TEST(Render, SilhouetteHasTheRightArea) {
  RenderOptions options = plain_options();
  options.samples = 16;
  options.colors.background = Color::Ones();
  const Image image = picture(scene_of(sphere(1), Color::Zero()), options);
  double covered = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) covered += 1 - test::light(image, x, y);
  }
  const double expected = std::numbers::pi * 80 * 80;
  EXPECT_NEAR(covered, expected, 0.003 * expected);
}

// Each view of a cube shows the face of its side, in exactly its colour.
TEST(Render, FaceColoursAppearOnTheirSides) {
  Scene scene = scene_of(test::cube());
  for (std::size_t f = 0; f < 6; ++f) scene.meshes[0].face_colors.push_back(category_color(f));
  RenderOptions options = plain_options();
  const std::vector<std::pair<View, std::size_t>> sides{{View::back, 0}, {View::front, 1}, {View::bottom, 2},
                                                        {View::top, 3},  {View::right, 4}, {View::left, 5}};
  for (const auto& [view, face] : sides) {
    options.camera.view = view;
    const Image image = picture(scene, options);
    EXPECT_EQ(mid_pixel(image), to_srgb8(category_color(face))) << enum_name(view);
    EXPECT_EQ(image.at(22, 178), to_srgb8(category_color(face)));
    EXPECT_EQ(image.at(17, 100), to_srgb8(options.colors.background));
  }
}

// Vertex colours are blended in linear light across a face.
TEST(Render, VertexColoursAreInterpolated) {
  Scene scene = scene_of(test::cube());
  for (const Vec3& p : scene.meshes[0].surface.positions) {
    scene.meshes[0].vertex_colors.push_back(Color::Constant(static_cast<float>(p.x())));
  }
  const Image image = picture(scene, plain_options());
  EXPECT_NEAR(test::light(image, 100, 60), 0.5 + 0.5 / 160, 0.01);
  EXPECT_NEAR(test::light(image, 60, 100), 0.25 + 0.5 / 160, 0.01);
}

// Edges of quads are drawn where they are, the diagonals that cut quads into triangles are not.
TEST(Render, WireframeShowsPolygonEdges) {
  Surface grid;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) grid.positions.push_back(Vec3(i, j, 0));
  }
  for (const Index v : {0, 1, 3, 4}) grid.add_face({v, v + 1, v + 4, v + 3});
  RenderOptions options = plain_options();
  options.wireframe = true;
  options.wire_width = 2;
  const Image image = picture(scene_of(grid, Color::Ones()), options);
  const auto is_white = [&](int x, int y) { return image.at(x, y) == Rgb{255, 255, 255}; };
  for (const int inner : {60, 140}) {
    EXPECT_LT(test::light(image, 100, inner), 0.4);
    EXPECT_LT(test::light(image, inner, 100), 0.4);
    EXPECT_LT(test::light(image, 20, inner), 0.4);
    for (const int d : {-10, 10, 30}) {
      EXPECT_TRUE(is_white(inner + d, inner + d));
      EXPECT_TRUE(is_white(inner + d, 200 - inner - d));
    }
  }
  EXPECT_TRUE(is_white(104, 60));
  EXPECT_TRUE(is_white(95, 60));
}

// Edges behind a surface are hidden.
TEST(Render, WireframeRemovesHiddenLines) {
  Scene scene = scene_of(test::cube(), Color::Ones());
  scene.meshes.push_back({.surface = sphere(0.3, test::Winding::outward, Vec3(0.5, 0.5, 0.5)), .color = Color::Ones()});
  RenderOptions options = plain_options();
  options.wireframe = true;
  const Image image = picture(scene, options);
  for (int i = 30; i < 170; ++i) EXPECT_EQ(image.at(i, 100), (Rgb{255, 255, 255}));
}

// Cut in the middle, a solid sphere shows the section's colour; hollow, its back faces; uncut, its front.
TEST(Render, SectionShowsTheInside) {
  const Scene scene = scene_of(sphere(1));
  RenderOptions options = plain_options();
  EXPECT_EQ(mid_pixel(picture(scene, options)), to_srgb8(scene.meshes[0].color));
  options.section = Section::z;
  EXPECT_EQ(mid_pixel(picture(scene, options)), to_srgb8(options.colors.section));
  options.section_fill = SectionFill::hollow;
  EXPECT_EQ(mid_pixel(picture(scene, options)), to_srgb8(options.colors.back_face));
  options.camera.view = View::back;
  EXPECT_EQ(mid_pixel(picture(scene, options)), to_srgb8(options.colors.back_face));
}

// The cut's position moves the circle that is cut: at a quarter of the sphere's depth from behind its radius is √3/2.
TEST(Render, SectionPosition) {
  RenderOptions options = plain_options();
  options.section = Section::z;
  options.section_position = 0.25;
  const Image image = picture(scene_of(sphere(1)), options);
  const int radius = static_cast<int>(80 * std::sqrt(0.75));
  EXPECT_EQ(image.at(100 + radius - 2, 100), to_srgb8(options.colors.section));
  EXPECT_EQ(image.at(100 + radius + 3, 100), to_srgb8(options.colors.background));
}

// A cavity inside a solid stays empty in the cut, and a solid that is wound inside out is a solid all the same.
TEST(Render, SectionKnowsCavities) {
  RenderOptions options = plain_options();
  options.section = Section::z;
  Surface shell = sphere(1);
  append(shell, sphere(0.5, test::Winding::inward));
  const Image image = picture(scene_of(shell), options);
  EXPECT_EQ(image.at(100 + 60, 100), to_srgb8(options.colors.section));
  EXPECT_EQ(mid_pixel(image), to_srgb8(srgb(0x3366cc)));
  const Image inside_out = picture(scene_of(sphere(1, test::Winding::inward)), options);
  EXPECT_EQ(mid_pixel(inside_out), to_srgb8(options.colors.section));
}

// A face seen from behind is tinted, drawn as a front face, or not drawn, as asked.
TEST(Render, BackFaces) {
  Surface quad;
  quad.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};
  quad.add_face({3, 2, 1, 0});
  const Scene scene = scene_of(quad);
  RenderOptions options = plain_options();
  EXPECT_EQ(mid_pixel(picture(scene, options)), to_srgb8(options.colors.back_face));
  options.back_faces = BackFaces::same;
  EXPECT_EQ(mid_pixel(picture(scene, options)), to_srgb8(scene.meshes[0].color));
  options.back_faces = BackFaces::hidden;
  EXPECT_EQ(mid_pixel(picture(scene, options)), to_srgb8(options.colors.background));
}

// A scalar is interpolated over the face and then coloured: halfway between 0 and 1 is the middle of the map.
TEST(Render, ScalarsTakeTheColoursOfTheScale) {
  Scene scene = scene_of(test::cube());
  for (const Vec3& p : scene.meshes[0].surface.positions) scene.meshes[0].scalar.push_back(10 * p.x());
  scene.scale = {.map = ColorMap::sequential, .min = 0, .max = 10};
  RenderOptions options = plain_options();
  options.color_bar = false;
  const Image image = picture(scene, options);
  for (const int x : {25, 60, 100, 175}) {
    const Rgb expected = to_srgb8(scale_color(scene.scale, 10 * (x + 0.5 - 20) / 160));
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(image.at(x, 100)[c], expected[c], 2);
  }
  scene.meshes[0].scalar.assign(8, std::nan(""));
  EXPECT_EQ(mid_pixel(picture(scene, options)), to_srgb8(map_color(ColorMap::sequential, std::nan(""))));
}

// The colour bar stands at the right, and the subject keeps clear of it.
TEST(Render, ColorBarStandsBesideTheSubject) {
  Scene scene = scene_of(test::cube());
  scene.meshes[0].scalar.assign(8, 0.0);
  scene.scale = {.min = 0, .max = 1};
  RenderOptions options = plain_options();
  options.width = 400;
  const Image with = picture(scene, options);
  const ColorBarLayout layout = color_bar_layout(scene.scale, options.height);
  const int strip = options.width - layout.width;
  const int x = strip + layout.bar.x + layout.bar.width / 2;
  EXPECT_EQ(with.at(x, layout.bar.y), to_srgb8(map_color(ColorMap::sequential, 1 - 0.5 / layout.bar.height)));
  EXPECT_EQ(with.at(strip, 100), to_srgb8(options.colors.background));
  options.color_bar = false;
  EXPECT_EQ(picture(scene, options).at(x, layout.bar.y), to_srgb8(options.colors.background));
}

// In the studio the side towards the key lamp, at the upper left, is brighter than the far side.
TEST(Render, StudioLightComesFromTheUpperLeft) {
  RenderOptions options = plain_options();
  options.shading = Shading::studio;
  const Image image = picture(scene_of(sphere(1), Color::Constant(0.5f)), options);
  EXPECT_GT(test::light(image, 65, 60), 1.5 * test::light(image, 140, 150));
}

// What stands on the ground darkens it near by; without ground the background is untouched.
TEST(Render, GroundTakesTheShadow) {
  RenderOptions options = plain_options();
  options.shading = Shading::studio;
  options.camera.view = View::top;
  options.camera.margin = 0.3;
  options.ground = true;
  const Scene scene = scene_of(sphere(1));
  const double background = options.colors.background.mean();
  EXPECT_LT(test::light(picture(scene, options), 145, 60), 0.8 * background);
  EXPECT_NEAR(test::light(picture(scene, options), 1, 199), background, 0.01);
  options.ground = false;
  EXPECT_EQ(picture(scene, options).at(145, 60), to_srgb8(options.colors.background));
}

// A pit too shallow for the key lamp's shadow is darker than the open all the same: its walls hide a part of the sky.
TEST(Render, SkyIsOccluded) {
  Surface walls;
  walls.positions = {Vec3(-1, 0, -1), Vec3(1, 0, -1), Vec3(1, 0, 1), Vec3(-1, 0, 1)};
  walls.add_face({3, 2, 1, 0});
  RenderOptions options = plain_options();
  options.shading = Shading::studio;
  options.camera.view = View::top;
  const double open = test::light(picture(scene_of(walls), options), 100, 100);
  append(walls, test::tube(32, 2, 0.5, 0.4));
  for (std::size_t v = 4; v < walls.positions.size(); ++v) {
    const Vec3 p = walls.positions[v];
    walls.positions[v] = Vec3(p.x(), p.z(), p.y());
  }
  const double pit = test::light(picture(scene_of(walls), options), 100, 100);
  EXPECT_LT(pit, 0.94 * open);
  EXPECT_GT(pit, 0.80 * open);
}

// Flat facets have one light each; smooth ones do not.
TEST(Render, CreaseAngle) {
  Scene scene = scene_of(test::cube(), Color::Constant(0.8f));
  RenderOptions options = plain_options();
  options.shading = Shading::headlight;
  const Image smooth = picture(scene, options);
  EXPECT_NE(smooth.at(100, 100), smooth.at(30, 30));
  scene.meshes[0].crease_angle = 60;
  const Image creased = picture(scene, options);
  EXPECT_EQ(creased.at(100, 100), creased.at(30, 30));
  EXPECT_EQ(creased.at(100, 100), to_srgb8(Color::Constant(0.8f)));
}

// Vertices that a file split at a seam still make one smooth surface.
TEST(Render, SeamsDoNotShow) {
  const Surface whole = sphere(1);
  Surface split;
  for (std::size_t f = 0; f < whole.face_count(); ++f) {
    std::vector<Index> face;
    for (const Index v : whole.face(f)) {
      face.push_back(static_cast<Index>(split.positions.size()));
      split.positions.push_back(whole.positions[v]);
    }
    split.add_face(std::span<const Index>(face));
  }
  RenderOptions options = plain_options();
  options.shading = Shading::headlight;
  EXPECT_EQ(picture(scene_of(whole), options), picture(scene_of(split), options));
}

// Given normals are used: those of a flat quad that all lean towards the light's side change its shade.
TEST(Render, GivenNormals) {
  Surface quad;
  quad.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};
  quad.add_face({0, 1, 2, 3});
  Scene scene = scene_of(quad, Color::Constant(0.8f));
  RenderOptions options = plain_options();
  options.shading = Shading::headlight;
  const double facing = test::light(picture(scene, options), 100, 100);
  scene.meshes[0].normals.assign(4, Vec3(2, 0, 2));
  EXPECT_LT(test::light(picture(scene, options), 100, 100), 0.9 * facing);
}

// Bones inside a solid show through it, as strongly as asked.
TEST(Render, BonesShowThrough) {
  Scene scene = scene_of(sphere(1));
  RenderOptions options = plain_options();
  const Rgb without = mid_pixel(picture(scene, options));
  scene.bones.push_back({.head = Vec3(0, -0.5, 0), .tail = Vec3(0, 0.5, 0), .color = srgb(0xff0000)});
  options.bone_opacity = 1;
  const Rgb over = mid_pixel(picture(scene, options));
  EXPECT_GT(over[0], 100);
  EXPECT_EQ(over[1], 0);
  options.bone_opacity = 0;
  EXPECT_EQ(mid_pixel(picture(scene, options)), without);
}

// Lines and points lie where the camera projects them.
TEST(Render, LinesAndPointsLieOverEverything) {
  Scene scene = scene_of(sphere(1));
  scene.lines.push_back({.from = Vec3(-0.5, 0.5, 0), .to = Vec3(0.5, 0.5, 0), .color = srgb(0xff0000), .width = 4});
  scene.points.push_back({.at = Vec3(0, 0, 0), .color = srgb(0x00ff00), .radius = 5});
  const Image image = picture(scene, plain_options());
  EXPECT_EQ(image.at(100, 60), (Rgb{255, 0, 0}));
  EXPECT_EQ(image.at(100, 100), (Rgb{0, 255, 0}));
  EXPECT_EQ(image.at(100, 80), to_srgb8(scene.meshes[0].color));
}

// The same bytes with one thread and with two, and again.
TEST(Render, ThreadsDoNotChangeThePicture) {
  Scene scene = scene_of(sphere(1));
  scene.meshes.push_back({.surface = test::cube()});
  scene.bones.push_back({.head = Vec3(0, -0.5, 0), .tail = Vec3(0, 0.5, 0)});
  RenderOptions options;
  options.width = 160;
  options.height = 120;
  options.samples = 6;
  options.wireframe = true;
  Context one(1);
  Context two(2);
  const Image first = render(scene, options, one).image;
  EXPECT_EQ(first, render(scene, options, two).image);
  EXPECT_EQ(first, render(scene, options, two).image);
}

// A picture from far away from the origin, and of a tiny or a huge subject, is the same picture.
TEST(Render, ScaleAndPlaceDoNotMatter) {
  RenderOptions options = plain_options();
  const Image here = picture(scene_of(sphere(1)), options);
  for (const Vec3& center : {Vec3(0, 0, 0), Vec3(1e6, -1e6, 1e6)}) {
    for (const double radius : {1e-3, 1.0, 1e5}) {
      const Image there = picture(scene_of(sphere(radius, test::Winding::outward, center)), options);
      int different = 0;
      for (std::size_t i = 0; i < here.pixels.size(); ++i) different += here.pixels[i] != there.pixels[i] ? 1 : 0;
      EXPECT_LT(different, 600) << radius;
      EXPECT_EQ(mid_pixel(there), mid_pixel(here));
    }
  }
}

// Scenes of different size taken with the same box are taken from the same place.
TEST(Render, FrameFixesTheCamera) {
  RenderOptions options = plain_options();
  options.view_box = Box(Vec3(-2, -2, -2), Vec3(2, 2, 2));
  Context context(1);
  const Picture small = render(scene_of(sphere(0.5)), options, context);
  const Picture large = render(scene_of(sphere(1.5)), options, context);
  EXPECT_EQ(small.camera.eye, large.camera.eye);
  EXPECT_EQ(small.camera.focal, large.camera.focal);
  EXPECT_EQ(small.image.at(100 + 18, 100), to_srgb8(srgb(0x3366cc)));
  EXPECT_EQ(small.image.at(100 + 22, 100), to_srgb8(options.colors.background));
  EXPECT_EQ(large.image.at(100 + 58, 100), to_srgb8(srgb(0x3366cc)));
}

// Several views come side by side, each the picture that render() makes alone.
TEST(Render, Views) {
  const Scene scene = scene_of(test::cube());
  RenderOptions options = plain_options();
  Context context(2);
  const std::array views{View::front, View::top};
  const Image sheet = render_views(scene, views, options, context);
  EXPECT_GT(sheet.width, 400);
  EXPECT_GT(sheet.height, 200);
  options.camera.view = View::top;
  const Image top = picture(scene, options);
  const int gap = (sheet.width - 400) / 3;
  for (const int x : {0, 50, 100, 199}) EXPECT_EQ(sheet.at(200 + 2 * gap + x, gap + 100), top.at(x, 100));
}

}  // namespace
}  // namespace isochor
