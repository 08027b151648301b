#include "render/ray_scene.h"

#include <embree3/rtcore.h>
#include <tbb/global_control.h>

#include <algorithm>

#include "isochor/base/error.h"

namespace isochor::detail {
namespace {

RTCRay to_embree(const Ray& ray) {
  RTCRay r{};
  r.org_x = ray.origin.x();
  r.org_y = ray.origin.y();
  r.org_z = ray.origin.z();
  r.dir_x = ray.direction.x();
  r.dir_y = ray.direction.y();
  r.dir_z = ray.direction.z();
  r.tnear = ray.near;
  r.tfar = ray.far;
  r.mask = ~0u;
  return r;
}

RTCRayHit to_query(const Ray& ray) {
  RTCRayHit query{};
  query.ray = to_embree(ray);
  query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  return query;
}

/// Positive where the ray leaves through the triangle. Embree's Ng is (v1 - v0) × (v2 - v0).
float leaving(const RTCFilterFunctionNArguments* args) {
  return RTCRayN_dir_x(args->ray, args->N, 0) * RTCHitN_Ng_x(args->hit, args->N, 0) +
         RTCRayN_dir_y(args->ray, args->N, 0) * RTCHitN_Ng_y(args->hit, args->N, 0) +
         RTCRayN_dir_z(args->ray, args->N, 0) * RTCHitN_Ng_z(args->hit, args->N, 0);
}

void reject_back_faces(const RTCFilterFunctionNArguments* args) {
  if (leaving(args) > 0) args->valid[0] = 0;
}

/// Embree hands the context back to its filters; what stands behind it in memory is ours.
struct CountingContext {
  RTCIntersectContext base;
  std::vector<int>* crossings;
};

void count_crossings(const RTCFilterFunctionNArguments* args) {
  auto& counts = *reinterpret_cast<const CountingContext*>(args->context)->crossings;
  counts[RTCHitN_geomID(args->hit, args->N, 0)] += leaving(args) > 0 ? 1 : -1;
  args->valid[0] = 0;
}

/// Oblique to the axes and to each other, so that no modelled symmetry lines up with them.
const std::array<Vec3f, 5>& voting_directions() {
  static const std::array<Vec3f, 5> directions{
      Vec3f(0.267f, 0.859f, 0.437f).normalized(), Vec3f(-0.811f, 0.229f, -0.539f).normalized(),
      Vec3f(0.613f, -0.373f, -0.697f).normalized(), Vec3f(-0.331f, -0.789f, 0.518f).normalized(),
      Vec3f(0.741f, 0.317f, -0.593f).normalized()};
  return directions;
}

}  // namespace

struct RayScene::Handles {
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;
};

RayScene::RayScene() : handles_(std::make_unique<Handles>()) {
  handles_->device = rtcNewDevice(nullptr);
  if (handles_->device == nullptr)
    throw_unsupported("Embree, which casts the rays of pictures, cannot run on this machine");
  handles_->scene = rtcNewScene(handles_->device);
  rtcSetSceneFlags(handles_->scene,
                   static_cast<RTCSceneFlags>(RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION));
}

RayScene::~RayScene() {
  if (handles_->scene != nullptr) rtcReleaseScene(handles_->scene);
  if (handles_->device != nullptr) rtcReleaseDevice(handles_->device);
}

void RayScene::add_mesh(std::span<const Vec3f> positions, std::span<const std::array<Index, 3>> triangles) {
  RTCGeometry geometry = rtcNewGeometry(handles_->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  if (!triangles.empty()) {
    auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                                 3 * sizeof(float), positions.size()));
    auto* indices = static_cast<unsigned*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                                   3 * sizeof(unsigned), triangles.size()));
    if (vertices == nullptr || indices == nullptr) throw_unsupported("there is not enough memory to draw the scene");
    for (const Vec3f& p : positions) vertices = std::copy(p.data(), p.data() + 3, vertices);
    for (const auto& t : triangles) indices = std::copy(t.begin(), t.end(), indices);
    for (const auto& t : triangles) {
      for (const Index v : t) box_.extend(positions[v]);
    }
  }
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(handles_->scene, geometry, static_cast<unsigned>(mesh_count_));
  rtcReleaseGeometry(geometry);
  ++mesh_count_;
}

void RayScene::commit() {
  // One building thread: the tree, and with it the winner among equal hits, is then always the same. Embree's own
  // setting for that would hold back every parallel loop of the process for as long as the device lives.
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  rtcCommitScene(handles_->scene);
}

std::optional<Hit> RayScene::first_hit(const Ray& ray, Facing facing) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  if (facing == Facing::front_only) context.filter = reject_back_faces;
  RTCRayHit query = to_query(ray);
  rtcIntersect1(handles_->scene, &context, &query);
  if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::nullopt;
  return Hit{query.ray.tfar, query.hit.u, query.hit.v, query.hit.geomID, query.hit.primID};
}

bool RayScene::is_blocked(const Ray& ray) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay query = to_embree(ray);
  rtcOccluded1(handles_->scene, &context, &query);
  return query.tfar < 0;
}

bool RayScene::is_inside(const Vec3f& point) const {
  if (!box_.contains(point)) return false;
  std::vector<int> crossings(mesh_count_);
  const std::size_t majority = voting_directions().size() / 2 + 1;
  std::size_t inside = 0;
  std::size_t outside = 0;
  for (const Vec3f& direction : voting_directions()) {
    std::fill(crossings.begin(), crossings.end(), 0);
    CountingContext context{};
    rtcInitIntersectContext(&context.base);
    context.base.filter = count_crossings;
    context.crossings = &crossings;
    RTCRayHit query = to_query({.origin = point, .direction = direction});
    rtcIntersect1(handles_->scene, &context.base, &query);
    const bool crossed = std::any_of(crossings.begin(), crossings.end(), [](int c) { return c != 0; });
    ++(crossed ? inside : outside);
    if (std::max(inside, outside) == majority) break;
  }
  return inside == majority;
}

}  // namespace isochor::detail
