#include "render/trace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "isochor/base/parallel.h"
#include "render/surface_point.h"

namespace isochor::detail {
namespace {

constexpr int kTile = 16;

// The studio, in linear light: a warm key lamp, a cool sky, light from the floor, and a weak cool lamp opposite the
// key.
const Color& key_color() {
  static const Color color(1.02f, 0.97f, 0.90f);
  return color;
}
const Color& sky_color() {
  static const Color color(0.40f, 0.43f, 0.47f);
  return color;
}
const Color& floor_color() {
  static const Color color(0.24f, 0.225f, 0.21f);
  return color;
}
const Color& fill_color() {
  static const Color color(0.07f, 0.085f, 0.105f);
  return color;
}
constexpr float kKeyRadius = 0.16f;  // of the lamp, at distance 1: how soft its shadow is
constexpr float kFar = std::numeric_limits<float>::infinity();
/// How far, in units of the scene's size, the subject dims the sky above the floor: near by only, so that the floor
/// meets the background without a seam.
constexpr float kFloorReach = 0.5f;
constexpr float kGloss = 0.05f;
constexpr float kGlossPower = 28;

/// Of a number that is not negative.
float fraction(double x) { return static_cast<float>(x - static_cast<double>(static_cast<std::int64_t>(x))); }

/// Additive recurrences with the roots of x³ = x + 1 and x⁴ = x + 1 (Roberts 2018): evenly spread for any count, so
/// that neighbouring pixels, which take consecutive runs of it, complete each other.
Eigen::Vector2f plastic_sequence(std::size_t i) {
  const auto k = static_cast<double>(i);
  return {fraction(0.5 + k * 0.7548776662466927), fraction(0.5 + k * 0.5698402909980532)};
}
Eigen::Vector2f second_sequence(std::size_t i) {
  const auto k = static_cast<double>(i);
  return {fraction(0.5 + k * 0.8191725133961645), fraction(0.5 + k * 0.6710436067037893)};
}

Eigen::Vector2f on_disc(const Eigen::Vector2f& square) {
  const float radius = std::sqrt(square.x());
  const float angle = 2 * std::numbers::pi_v<float> * square.y();
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

Vec3f cosine_direction(const Vec3f& normal, const Eigen::Vector2f& square) {
  const Eigen::Vector2f disc = on_disc(square);
  const Vec3f across = normal.unitOrthogonal();
  const float height = std::sqrt(std::max(0.0f, 1 - disc.squaredNorm()));
  return (disc.x() * across + disc.y() * normal.cross(across) + height * normal).normalized();
}

/// Which numbers of the sequences a sample of a pixel takes: 16 pixels of a 4×4 block share one long run.
struct SampleId {
  int x, y, index;
  int per_pixel;

  std::size_t light_index() const {
    const int block = (y & 3) * 4 + (x & 3);
    return static_cast<std::size_t>(block) * static_cast<std::size_t>(per_pixel) + static_cast<std::size_t>(index);
  }
  Eigen::Vector2f pixel() const {
    return Eigen::Vector2f(static_cast<float>(x), static_cast<float>(y)) +
           plastic_sequence(static_cast<std::size_t>(index));
  }
};

/// What a ray from the eye meets first.
struct Seen {
  enum class What { background, floor, section, mesh } what = What::background;
  float distance = std::numeric_limits<float>::infinity();
  Hit hit;
};

class Tracer {
 public:
  explicit Tracer(const Shot& shot) : shot_(shot) {}

  FilmPixel pixel(int x, int y) const {
    FilmPixel film;
    film.subject = film.floor = {.weight = 0, .key_weight = 0, .key = 0, .sky = 0};
    const int samples = shot_.options.samples;
    for (int s = 0; s < samples; ++s) sample({x, y, s, samples}, film);
    finish(film, static_cast<float>(samples));
    return film;
  }

 private:
  Ray eye_ray(const Eigen::Vector2f& pixel) const {
    const auto line = shot_.camera.ray(pixel.cast<double>());
    return {.origin = line.origin().cast<float>(), .direction = line.direction().cast<float>()};
  }

  /// Leaves of the ray what the section keeps. False where nothing is left.
  bool cut(Ray& ray) const {
    if (!shot_.section) return true;
    const float outside = shot_.section->normal.dot(ray.origin) - shot_.section->offset;
    const float rate = shot_.section->normal.dot(ray.direction);
    if (outside > 0) {
      if (rate >= 0) return false;
      ray.near = std::max(ray.near, -outside / rate);
    } else if (rate > 0) {
      ray.far = std::min(ray.far, -outside / rate);
    }
    return ray.near < ray.far;
  }

  Seen look(const Ray& eye) const {
    Seen seen;
    Ray ray = eye;
    if (cut(ray)) {
      const bool at_cut = ray.near > 0 && shot_.options.section_fill == SectionFill::solid;
      if (at_cut && shot_.scene.mesh_rays.is_inside(ray.origin + ray.near * ray.direction)) {
        seen = {.what = Seen::What::section, .distance = ray.near, .hit = {}};
      } else {
        const auto facing = shot_.options.back_faces == BackFaces::hidden ? Facing::front_only : Facing::any;
        const auto hit = shot_.scene.mesh_rays.first_hit(ray, facing);
        if (hit) seen = {.what = Seen::What::mesh, .distance = hit->distance, .hit = *hit};
      }
    }
    const float floor = floor_distance(eye);
    if (floor < seen.distance) seen = {.what = Seen::What::floor, .distance = floor, .hit = {}};
    return seen;
  }

  /// The floor has no underside: from below one sees through it.
  float floor_distance(const Ray& ray) const {
    if (!shot_.ground) return kFar;
    const float height = ray.origin.dot(shot_.lights.sky) - *shot_.ground;
    const float rate = ray.direction.dot(shot_.lights.sky);
    return height > 0 && rate < 0 ? -height / rate : kFar;
  }

  bool reaches(const Vec3f& origin, const Vec3f& direction, float far) const {
    Ray ray{.origin = origin, .direction = direction, .far = far};
    return !cut(ray) || !shot_.scene.mesh_rays.is_blocked(ray);
  }

  void gather(Visibility& visibility, const SurfacePoint& point, const SampleId& id, float sky_reach) const {
    const Eigen::Vector2f lamp = kKeyRadius * on_disc(second_sequence(id.light_index()));
    const Vec3f to_key =
        (shot_.lights.key + lamp.x() * shot_.lights.key_across + lamp.y() * shot_.lights.key_other).normalized();
    if (point.normal.dot(shot_.lights.key) > 0) {
      visibility.key_weight += 1;
      if (point.normal.dot(to_key) > 0 && reaches(point.shadow_origin, to_key, kFar)) visibility.key += 1;
    }
    visibility.weight += 1;
    const Vec3f to_sky = cosine_direction(point.normal, plastic_sequence(id.light_index()));
    if (reaches(point.shadow_origin, to_sky, sky_reach)) visibility.sky += 1;
  }

  void light_subject(const SurfacePoint& point, const Ray& ray, float share, FilmPixel& film) const {
    const Lights& lights = shot_.lights;
    switch (shot_.options.shading) {
      case Shading::unlit:
        film.emitted += share * point.color;
        return;
      case Shading::headlight:
        film.emitted += share * (0.22f + 0.78f * std::abs(point.normal.dot(ray.direction))) * point.color;
        return;
      case Shading::studio:
        break;
    }
    const float towards_key = std::max(0.0f, point.normal.dot(lights.key));
    const Vec3f half = (lights.key - ray.direction).normalized();
    const float gloss = towards_key > 0 ? kGloss * std::pow(std::max(0.0f, point.normal.dot(half)), kGlossPower) : 0;
    const float up = 0.5f + 0.5f * point.normal.dot(lights.sky);
    const Color around =
        up * sky_color() + (1 - up) * floor_color() + std::max(0.0f, point.normal.dot(lights.fill)) * fill_color();
    film.key += share * (towards_key * point.color.cwiseProduct(key_color()) + gloss * key_color());
    film.sky += share * point.color.cwiseProduct(around);
  }

  SurfacePoint floor_point(const Ray& ray, float distance) const {
    const Vec3f p = ray.origin + distance * ray.direction;
    return {.position = p, .normal = shot_.lights.sky, .shadow_origin = p, .color = Color::Ones()};
  }

  /// The bones lie over everything; returns how much of what lies behind still shows.
  float overlay_bones(const Ray& ray, FilmPixel& film) const {
    if (shot_.scene.bone_rays.empty()) return 1;
    const auto hit = shot_.scene.bone_rays.first_hit(ray, Facing::any);
    if (!hit) return 1;
    const PreparedBones& bones = shot_.scene.bones;
    const auto& t = bones.triangles[hit->triangle];
    const Vec3f& a = bones.positions[t[0]];
    Vec3f normal = (bones.positions[t[1]] - a).cross(bones.positions[t[2]] - a).normalized();
    if (normal.dot(ray.direction) > 0) normal = -normal;
    const float light = 0.45f + 0.6f * std::max(0.0f, normal.dot(shot_.lights.key));
    const auto opacity = static_cast<float>(shot_.options.bone_opacity);
    film.emitted += opacity * light * bones.triangle_colors[hit->triangle];
    return 1 - opacity;
  }

  void sample(const SampleId& id, FilmPixel& film) const {
    const Eigen::Vector2f pixel = id.pixel();
    const Ray ray = eye_ray(pixel);
    const Seen seen = look(ray);
    const float share = overlay_bones(ray, film);
    if (seen.what == Seen::What::background) {
      film.background += share;
      return;
    }
    if (seen.what == Seen::What::floor) {
      film.ground += share;
      gather(film.floor, floor_point(ray, seen.distance), id, kFloorReach);
      return;
    }
    if (seen.what == Seen::What::section) {
      // A drawing of a cut, not a thing in the room: its colour does not depend on the lamps.
      film.emitted += share * shot_.options.colors.section;
      return;
    }
    const SurfacePoint point = surface_point(shot_, ray, seen.hit, pixel);
    light_subject(point, ray, share, film);
    film.normal += point.normal;
    film.position += point.position;
    if (shot_.options.shading == Shading::studio) gather(film.subject, point, id, kFar);
  }

  static void finish(FilmPixel& film, float samples) {
    film.key /= samples;
    film.sky /= samples;
    film.emitted /= samples;
    film.ground /= samples;
    film.background /= samples;
    if (film.subject.weight > 0) {
      film.normal.normalize();
      film.position /= film.subject.weight;
    }
    for (Visibility* v : {&film.subject, &film.floor}) {
      v->key = v->key_weight > 0 ? v->key / v->key_weight : 1;
      v->sky = v->weight > 0 ? v->sky / v->weight : 1;
    }
  }

  const Shot& shot_;
};

}  // namespace

float floor_light(const Visibility& visibility, const Lights& lights) {
  const float key = key_color().y() * lights.key.dot(lights.sky);
  const float sky = sky_color().y();
  return (key * visibility.key + sky * visibility.sky) / (key + sky);
}

Film trace(const Shot& shot, Context& context) {
  Film film{.width = shot.options.width, .height = shot.options.height, .pixels = {}};
  film.pixels.resize(static_cast<std::size_t>(film.width) * static_cast<std::size_t>(film.height));
  const int columns = (film.width + kTile - 1) / kTile;
  const int rows = (film.height + kTile - 1) / kTile;
  const auto tiles = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  const Tracer tracer(shot);
  // Threads take blocks of consecutive numbers; dealing the tiles out like cards gives each its share of the costly
  // ones.
  constexpr std::size_t kHands = 64;
  const std::size_t per_hand = (tiles + kHands - 1) / kHands;
  parallel_for(context, "render", per_hand * kHands, 1, [&](Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const std::size_t tile = (i % per_hand) * kHands + i / per_hand;
      if (tile >= tiles) continue;
      const int left = static_cast<int>(tile % static_cast<std::size_t>(columns)) * kTile;
      const int top = static_cast<int>(tile / static_cast<std::size_t>(columns)) * kTile;
      for (int y = top; y < std::min(top + kTile, film.height); ++y) {
        for (int x = left; x < std::min(left + kTile, film.width); ++x) film.at(x, y) = tracer.pixel(x, y);
      }
    }
  });
  return film;
}

}  // namespace isochor::detail
