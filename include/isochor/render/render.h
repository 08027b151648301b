#pragma once

/// Headless pictures: rays cast by Embree, studio light, anti-aliased, the same bytes for any number of threads.
///
///   Scene scene;
///   scene.meshes.push_back({.surface = posed});
///   Picture picture = render(scene, {.wireframe = true}, context);
///   write_png(picture.image, "elephant.png");

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/base/problem.h"
#include "isochor/render/camera.h"
#include "isochor/render/image.h"
#include "isochor/render/scene.h"

namespace isochor {

enum class Shading {
  studio,     ///< a key light with a soft shadow, and a sky that is occluded
  headlight,  ///< a light at the camera, no shadows: quick, every face readable
  unlit,      ///< the colours themselves: for reading scalars off exactly
};
template <>
struct EnumNames<Shading> {
  static constexpr std::array names{"studio", "headlight", "unlit"};
};

enum class BackFaces {
  tinted,  ///< in a colour of their own: flipped faces and holes catch the eye
  same,    ///< as front faces: for meshes that are meant to be seen from both sides, or wound inside out as a whole
  hidden,  ///< not drawn
};
template <>
struct EnumNames<BackFaces> {
  static constexpr std::array names{"tinted", "same", "hidden"};
};

/// The axis across which the scene is cut. The half that is nearer to the camera is taken away.
enum class Section { none, x, y, z };
template <>
struct EnumNames<Section> {
  static constexpr std::array names{"none", "x", "y", "z"};
};

enum class SectionFill {
  solid,   ///< the cut of the solid is filled in a colour of its own
  hollow,  ///< one looks into the skin, at its back faces
};
template <>
struct EnumNames<SectionFill> {
  static constexpr std::array names{"solid", "hollow"};
};

struct RenderColors {
  Color background = srgb(0xf4f4f2);
  Color wire = srgb(0x1d232b);
  Color back_face = srgb(0xcb6a52);
  Color section = srgb(0xe0825f);
};

struct RenderOptions {
  int width = 800;
  int height = 600;
  int samples = 16;
  CameraOptions camera = {};
  Shading shading = Shading::studio;
  bool ground = true;
  bool wireframe = false;
  double wire_width = 1.0;
  BackFaces back_faces = BackFaces::tinted;
  Section section = Section::none;
  double section_position = 0.5;
  SectionFill section_fill = SectionFill::solid;
  bool color_bar = true;
  double bone_opacity = 0.85;
  /// What the camera frames, what the ground lies under and what the section is measured across: give the box of a
  /// whole clip, or of all characters that are compared, to take all pictures from the same place. Without: the scene's
  /// own vertices.
  std::optional<Box> view_box = {};
  RenderColors colors = {};
};

/// Visits the camera's fields too.
template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, RenderOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.width, FieldInfo{.name = "width", .help = "width of the picture", .unit = "px", .min = 1, .max = 8192});
  visit(options.height,
        FieldInfo{.name = "height", .help = "height of the picture", .unit = "px", .min = 1, .max = 8192});
  visit(options.samples, FieldInfo{.name = "samples",
                                   .help = "rays per pixel; more: smoother edges and shadows, slower",
                                   .min = 1,
                                   .max = 1024});
  describe(options.camera, visit);
  visit(options.shading, FieldInfo{.name = "shading", .help = "how the skin is lit", .expert = true});
  visit(options.ground, FieldInfo{.name = "ground", .help = "the soft shadow on the ground below", .expert = true});
  visit(options.wireframe, FieldInfo{.name = "wireframe", .help = "the edges of the polygons, hidden ones removed"});
  visit(options.wire_width,
        FieldInfo{
            .name = "wire-width", .help = "width of the edges", .unit = "px", .min = 0.1, .max = 20, .expert = true});
  visit(options.back_faces,
        FieldInfo{.name = "back-faces", .help = "how faces seen from their inside are drawn", .expert = true});
  visit(options.section, FieldInfo{.name = "section", .help = "cut the scene across this axis"});
  visit(options.section_position, FieldInfo{.name = "section-position",
                                            .help = "where the cut lies along its axis",
                                            .unit = "of the box, from its lower end",
                                            .min = 0,
                                            .max = 1,
                                            .expert = true});
  visit(options.section_fill, FieldInfo{.name = "section-fill", .help = "what a cut shows", .expert = true});
  visit(options.color_bar,
        FieldInfo{.name = "color-bar", .help = "the bar that explains the colours of a scalar", .expert = true});
  visit(options.bone_opacity, FieldInfo{.name = "bone-opacity",
                                        .help = "higher: bones hide more of what is in front of them",
                                        .min = 0,
                                        .max = 1,
                                        .expert = true});
}

struct Picture {
  Image image = {};
  Camera camera = {};      ///< the one that was used, in the scene's own space
  Problems problems = {};  ///< faces and vertices that could not be drawn
};

/// A scene made ready for any number of pictures. Copies what it needs; may be used from several threads.
class PreparedScene {
 public:
  /// Faces with corners out of range or not finite are left out and counted in problems(); lists of a wrong length and
  /// an inconsistent `face_begin` throw Error(bad_input).
  PreparedScene(const Scene& scene, Context& context);
  ~PreparedScene();
  PreparedScene(PreparedScene&&) noexcept;
  PreparedScene& operator=(PreparedScene&&) noexcept;

  const Box& box() const;           ///< scene_box() of the scene
  const ColorScale& scale() const;  ///< resolved; meaningful if has_scalar()
  bool has_scalar() const;
  const Problems& problems() const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// One picture. An empty scene gives the plain background. Stages in the context: "prepare", "render".
Picture render(const PreparedScene& scene, const RenderOptions& options, Context& context);
Picture render(const Scene& scene, const RenderOptions& options, Context& context);

/// The same scene from several sides, side by side, each labelled with its view's name; `options.width` and `height`
/// are those of each single picture. One colour bar stands at the right of the sheet.
Image render_views(const Scene& scene, std::span<const View> views, const RenderOptions& options, Context& context);

}  // namespace isochor
