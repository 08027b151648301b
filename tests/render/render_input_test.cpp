// Broken, empty and extreme input to render(): always a picture, or one sentence.

#include <gtest/gtest.h>

#include "isochor/render/render.h"
#include "render/render_shapes.h"
#include "support/shapes.h"

namespace isochor {
namespace {

using test::plain_options;
using test::scene_of;
using test::sphere;

bool is_plain(const Image& image, const Color& color) { return image == Image(image.width, image.height, color); }

// An empty scene gives the plain background, whatever is asked of it.
TEST(RenderInput, EmptyScene) {
  Context context(1);
  RenderOptions options;
  options.width = 64;
  options.height = 48;
  options.wireframe = true;
  options.section = Section::x;
  EXPECT_TRUE(is_plain(render(Scene{}, options, context).image, options.colors.background));
  Scene hollow;
  hollow.meshes.resize(2);
  EXPECT_TRUE(is_plain(render(hollow, options, context).image, options.colors.background));
}

// Faces with corners that are not finite, that do not exist or that are too few are left out, and counted.
TEST(RenderInput, BrokenFacesAreLeftOut) {
  Scene scene = scene_of(test::cube());
  Surface& surface = scene.meshes[0].surface;
  surface.positions.push_back(Vec3(0, std::nan(""), 0));
  surface.positions.push_back(Vec3(1e300, 0, 0));
  surface.add_face({0, 1, 8});
  surface.add_face({0, 1, 9});
  surface.add_face({0, 1, 99});
  surface.add_face({0, -1, 2});
  surface.add_face({0, 1});
  Context context(1);
  const Picture picture = render(scene, plain_options(), context);
  ASSERT_EQ(picture.problems.size(), 1u);
  EXPECT_EQ(picture.problems[0].code, "faces-not-drawn");
  EXPECT_EQ(picture.problems[0].count, 5);
  EXPECT_EQ(picture.problems[0].elements, (std::vector<Index>{6, 7, 8, 9, 10}));
  EXPECT_EQ(picture.image, render(scene_of(test::cube()), plain_options(), context).image);
}

// Zero-area, repeated-corner, duplicated and opposite faces do no harm in any kind of picture.
TEST(RenderInput, DegenerateFaces) {
  Surface surface = test::cube();
  surface.add_face({0, 0, 0});
  surface.add_face({0, 1, 0, 1});
  surface.add_face({4, 5, 7, 6});
  surface.add_face({6, 7, 5, 4});
  surface.add_face({0, 1, 3, 2, 0, 1});
  RenderOptions options;
  options.width = 80;
  options.height = 60;
  options.samples = 4;
  Context context(2);
  for (const Shading shading : {Shading::studio, Shading::headlight, Shading::unlit}) {
    for (const Section section : {Section::none, Section::y}) {
      options.shading = shading;
      options.section = section;
      options.wireframe = section == Section::none;
      const Picture picture = render(scene_of(surface), options, context);
      EXPECT_FALSE(is_plain(picture.image, options.colors.background));
      EXPECT_TRUE(picture.problems.empty());
    }
  }
}

// A scene without extent, and a box without extent or none at all, still give a picture.
TEST(RenderInput, NoExtent) {
  Surface point;
  point.positions.assign(3, Vec3(3, 3, 3));
  point.add_face({0, 1, 2});
  Context context(1);
  RenderOptions options;
  options.width = 40;
  options.height = 30;
  EXPECT_NO_THROW(render(scene_of(point), options, context));
  options.view_box = Box(Vec3::Zero(), Vec3::Zero());
  EXPECT_NO_THROW(render(scene_of(sphere(1)), options, context));
  options.view_box = Box();
  EXPECT_FALSE(is_plain(render(scene_of(sphere(1)), options, context).image, options.colors.background));
}

// The camera may stand inside the subject: what lies behind it is not drawn, edges included.
TEST(RenderInput, CameraInsideTheSubject) {
  RenderOptions options;
  options.width = 60;
  options.height = 60;
  options.wireframe = true;
  options.view_box = Box(Vec3::Constant(-0.01), Vec3::Constant(0.01));
  Context context(1);
  EXPECT_FALSE(is_plain(render(scene_of(sphere(1)), options, context).image, options.colors.background));
}

// Lists that do not fit the mesh, and faces that do not add up, are refused.
TEST(RenderInput, RefusesListsThatDoNotFit) {
  Context context(1);
  const auto refuses = [&](const RenderMesh& mesh) {
    Scene scene;
    scene.meshes.push_back(mesh);
    try {
      render(scene, plain_options(), context);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::bad_input;
    }
    return false;
  };
  const Surface cube = test::cube();
  EXPECT_FALSE(refuses({.surface = cube}));
  EXPECT_TRUE(refuses({.surface = cube, .normals = {Vec3::UnitX()}}));
  EXPECT_TRUE(refuses({.surface = cube, .face_colors = std::vector<Color>(8, Color::Ones())}));
  EXPECT_TRUE(refuses({.surface = cube, .vertex_colors = std::vector<Color>(6, Color::Ones())}));
  EXPECT_TRUE(refuses({.surface = cube, .scalar = {1, 2}}));
  Surface broken = cube;
  broken.face_begin.back() = 99;
  EXPECT_TRUE(refuses({.surface = broken}));
  broken.face_begin.clear();
  EXPECT_TRUE(refuses({.surface = broken}));
}

// Options out of range, and a box that is not finite, are refused.
TEST(RenderInput, RefusesBadOptions) {
  Context context(1);
  const auto refuses = [&](auto change) {
    RenderOptions options = plain_options();
    change(options);
    try {
      render(Scene{}, options, context);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::bad_input;
    }
    return false;
  };
  EXPECT_TRUE(refuses([](RenderOptions& o) { o.width = 0; }));
  EXPECT_TRUE(refuses([](RenderOptions& o) { o.height = 1 << 20; }));
  EXPECT_TRUE(refuses([](RenderOptions& o) { o.samples = 0; }));
  EXPECT_TRUE(refuses([](RenderOptions& o) { o.camera.field_of_view = 180; }));
  EXPECT_TRUE(refuses([](RenderOptions& o) { o.view_box = Box(Vec3::Zero(), Vec3::Constant(1e200)); }));
  EXPECT_FALSE(refuses([](RenderOptions& o) { o.width = o.height = o.samples = 1; }));
}

// A cancelled context stops the picture.
TEST(RenderInput, Cancels) {
  Context context(1);
  context.set_stop([] { return true; });
  try {
    render(scene_of(sphere(1)), plain_options(), context);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
}

}  // namespace
}  // namespace isochor
