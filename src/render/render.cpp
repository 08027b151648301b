#include "isochor/render/render.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/parallel.h"
#include "isochor/render/color_bar.h"
#include "isochor/render/sheet.h"
#include "render/prepared.h"
#include "render/shot.h"
#include "render/smooth.h"
#include "render/trace.h"

namespace isochor {
namespace {

/// The shadow on the floor is thinned: it is there to seat the subject, not to compete with it.
constexpr float kFloorShadow = 0.8f;

bool shows_color_bar(const PreparedScene& scene, const RenderOptions& options) {
  return options.color_bar && scene.has_scalar();
}

/// The strip of the picture that the colour bar takes; none where it would take more than half.
PixelRect bar_strip(const PreparedScene& scene, const RenderOptions& options) {
  if (!shows_color_bar(scene, options)) return {};
  const int width = color_bar_layout(scene.scale(), options.height).width;
  if (2 * width > options.width) return {};
  return {options.width - width, 0, width, options.height};
}

Camera place_camera(const PreparedScene& scene, const RenderOptions& options, const PixelRect& strip) {
  const Viewport viewport{.width = static_cast<double>(options.width - strip.width),
                          .height = static_cast<double>(options.height)};
  if (options.view_box && !options.view_box->isEmpty()) return fit_camera(*options.view_box, viewport, options.camera);
  return fit_camera(scene.impl().framed_points, viewport, options.camera);
}

/// 1 inside the picture, falling to 0 at its edge: a shadow that runs out of it fades away, and pictures stand side by
/// side without seams.
float inner_part(const detail::Film& film, int x, int y) {
  const float border = 0.1f * static_cast<float>(std::min(film.width, film.height));
  const auto distance = static_cast<float>(std::min({x, y, film.width - 1 - x, film.height - 1 - y}));
  const float t = std::min(1.0f, distance / std::max(border, 1.0f));
  return t * t * (3 - 2 * t);
}

/// Light that the sky does not reach directly still arrives by way of the surfaces around.
constexpr float kBounced = 0.22f;

/// Keeps the brightest lights from burning out: the identity up to a knee, then ever flatter, below 1.
float shoulder(float x) {
  constexpr float kKnee = 0.75f;
  return x <= kKnee ? x : kKnee + (1 - kKnee) * (1 - std::exp((kKnee - x) / (1 - kKnee)));
}

Color develop_pixel(const detail::FilmPixel& film, const detail::Shot& shot, float inner) {
  const float shadow = inner * (1 - detail::floor_light(film.floor, shot.lights));
  const float backdrop = film.background + film.ground * (1 - kFloorShadow * shadow);
  const float sky = kBounced + (1 - kBounced) * film.subject.sky;
  const Color lit = (film.subject.key * film.key + sky * film.sky).unaryExpr(&shoulder);
  return lit + film.emitted + backdrop * shot.options.colors.background;
}

Image develop(const detail::Film& film, const detail::Shot& shot, const Context& context) {
  Image image(film.width, film.height);
  parallel_for(context, static_cast<std::size_t>(film.height), 16, [&](Range rows) {
    for (auto y = static_cast<int>(rows.begin); y < static_cast<int>(rows.end); ++y) {
      for (int x = 0; x < film.width; ++x) {
        image.set(x, y, to_srgb8(develop_pixel(film.at(x, y), shot, inner_part(film, x, y))));
      }
    }
  });
  return image;
}

/// Pixel coordinates; not finite behind the camera.
Eigen::Vector2d on_screen(const Camera& camera, const Vec3& point) {
  const Vec3 p = camera.project(point);
  const bool behind = camera.projection == Projection::perspective && p.z() <= 0;
  return behind ? Eigen::Vector2d::Constant(std::numeric_limits<double>::quiet_NaN()) : Eigen::Vector2d(p.head<2>());
}

void draw_overlays(Image& image, const PreparedScene& scene, const Camera& camera) {
  for (const Line& line : scene.impl().lines) {
    draw_line(image, on_screen(camera, line.from), on_screen(camera, line.to),
              {.width = line.width, .color = line.color});
  }
  for (const Point& point : scene.impl().points) {
    const Eigen::Vector2d at = on_screen(camera, point.at);
    draw_line(image, at, at, {.width = 2 * point.radius, .color = point.color});
  }
}

void check_view_box(const RenderOptions& options) {
  if (!options.view_box || options.view_box->isEmpty()) return;
  if (!detail::is_usable(options.view_box->min()) || !detail::is_usable(options.view_box->max())) {
    throw_bad_input("the box that the picture shall show is not finite");
  }
}

}  // namespace

Picture render(const PreparedScene& scene, const RenderOptions& options, Context& context) {
  check_ranges(options);
  check_view_box(options);
  const StageTimer timer(context, "render");
  Picture picture;
  picture.problems = scene.problems();
  const PixelRect strip = bar_strip(scene, options);
  picture.camera = place_camera(scene, options, strip);
  const detail::Shot shot = detail::make_shot(scene.impl(), options, picture.camera);
  detail::Film film = detail::trace(shot, context);
  if (options.shading == Shading::studio) detail::smooth_visibility(film, context);
  picture.image = develop(film, shot, context);
  draw_overlays(picture.image, scene, picture.camera);
  if (strip.width > 0) draw_color_bar(picture.image, strip, scene.scale());
  return picture;
}

Picture render(const Scene& scene, const RenderOptions& options, Context& context) {
  return render(PreparedScene(scene, context), options, context);
}

Image render_views(const Scene& scene, std::span<const View> views, const RenderOptions& options, Context& context) {
  const PreparedScene prepared(scene, context);
  std::vector<Tile> tiles;
  RenderOptions single = options;
  single.color_bar = false;
  for (const View view : views) {
    single.camera.view = view;
    tiles.push_back({.image = render(prepared, single, context).image, .label = enum_name(view)});
  }
  const SheetOptions sheet{.label_size = std::clamp(options.height / 30, 12, 40),
                           .background = options.colors.background};
  Image image = compose(tiles, sheet);
  if (!shows_color_bar(prepared, options) || views.empty()) return image;
  const int bar_width = color_bar_layout(prepared.scale(), options.height).width;
  Image wide(image.width + bar_width, image.height, options.colors.background);
  paste(wide, image, 0, 0);
  draw_color_bar(wide, {image.width, (image.height - options.height) / 2, bar_width, options.height}, prepared.scale());
  return wide;
}

}  // namespace isochor
