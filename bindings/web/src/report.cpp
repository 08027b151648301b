#include "report.h"

#include "isochor/io/volume_settings.h"
#include "isochor/sample/sample.h"
#include "isochor/version.h"
#include "isochor/volume/effect.h"

namespace isochor::web {
namespace {

/// What the elements of a problem are, so that a page can select them.
const char* element_kind(const std::string& code) {
  if (code.starts_with("joint") || code == "bone-outside" || code.starts_with("bone-")) return "joint";
  if (code.starts_with("vertices-") || code.starts_with("weights-")) return "vertex";
  return "other";
}

/// The effects with their defaults, and which fields mean something to each.
Json describe_effects() {
  Json effects = Json::array();
  const auto fields = describe_fields(EffectSettings{});
  for (std::size_t e = 0; e < EnumNames<Effect>::names.size(); ++e) {
    const auto effect = static_cast<Effect>(e);
    const EffectSettings defaults = default_effect(effect);
    Json used = Json::array();
    for (const Json& field : fields) {
      const auto name = field["name"].get<std::string>();
      if (effect_uses(effect, name)) used.push_back(name);
    }
    effects.push_back({{"name", enum_name(effect)},
                       {"fields", std::move(used)},
                       {"direction", enum_name(defaults.direction)},
                       {"mu", std::vector<double>(defaults.mu.begin(), defaults.mu.end())},
                       {"sigma", std::vector<double>(defaults.sigma.begin(), defaults.sigma.end())},
                       {"center", defaults.center},
                       {"frequency", defaults.frequency},
                       {"gain", defaults.gain},
                       {"distance_gain", defaults.distance_gain},
                       {"min_share", defaults.min_share},
                       {"side", enum_name(defaults.side)}});
  }
  return effects;
}

/// Where the vertices of each mesh are in the glTF that the page draws.
Json describe_parts(const Document& document) {
  Json parts = Json::array();
  const GltfMap& map = document.file().as_read->map;
  const auto& found = document.character().parts;
  Index first = 0;
  for (std::size_t p = 0; p < found.size(); ++p) {
    Json primitives = Json::array();
    for (const GltfPrimitiveSource& primitive : map.parts[p].primitives) {
      primitives.push_back({{"primitive", primitive.primitive},
                            {"first", primitive.first_vertex},
                            {"vertices", primitive.vertex_count}});
    }
    parts.push_back({{"name", found[p].name},
                     {"first", first},
                     {"vertices", found[p].surface.vertex_count()},
                     {"faces", document.file().character.parts[p].surface.face_count()},
                     {"skinned", found[p].skinned()},
                     {"node", map.parts[p].node},
                     {"mesh", map.parts[p].mesh},
                     {"primitives", std::move(primitives)}});
    first += static_cast<Index>(found[p].surface.vertex_count());
  }
  return parts;
}

Json describe_joints(const Document& document, const Stage& stage) {
  Json joints = Json::array();
  std::vector<char> bends(document.character().skeleton.size(), 0);
  for (const JointAxes& axes : joint_axes(document.character().skeleton, stage.welded().rest_space())) {
    bends[axes.joint] = 1;
  }
  for (std::size_t j = 0; j < document.character().skeleton.size(); ++j) {
    const Joint& joint = document.character().skeleton.joints[j];
    const Eigen::Vector3f color = joint_color(static_cast<Index>(j));
    Json json = {{"name", joint.name},
                 {"parent", joint.parent},
                 {"deforms", joint.deforms},
                 {"bends", bends[j] != 0},
                 {"color", {color.x(), color.y(), color.z()}}};
    if (joint.tail) json["tail"] = {joint.tail->x(), joint.tail->y(), joint.tail->z()};
    joints.push_back(std::move(json));
  }
  return joints;
}

Json describe_clips(const Character& character) {
  Json clips = Json::array();
  for (const Clip& clip : character.clips) {
    clips.push_back({{"name", clip.name},
                     {"start", clip.start()},
                     {"duration", clip.duration()},
                     {"keys", frame_times(clip).size()}});
  }
  return clips;
}

Json describe_faces(const Character::FaceCounts& faces) {
  return {{"triangles", faces.triangles}, {"quads", faces.quads}, {"polygons", faces.polygons}};
}

std::vector<std::string> names_of(const Skeleton& skeleton, const std::vector<Index>& joints) {
  std::vector<std::string> names;
  names.reserve(joints.size());
  for (const Index j : joints) names.push_back(skeleton.joints[j].name);
  return names;
}

}  // namespace

Json describe(const Problems& problems) {
  Json json = Json::array();
  for (const Problem& problem : problems) {
    json.push_back({{"severity", to_string(problem.severity)},
                    {"code", problem.code},
                    {"sentence", problem.sentence},
                    {"count", problem.count},
                    {"kind", element_kind(problem.code)},
                    {"elements", problem.elements}});
  }
  return json;
}

Json describe_library() {
  Json json = {{"version", ISOCHOR_VERSION}, {"samples", Json::array()}};
  for (const SampleInfo& sample : samples()) {
    json["samples"].push_back({{"name", sample.name}, {"description", sample.description}});
  }
  json["bind"] = describe_fields(BindOptions{});
  json["volume"] = describe_fields(VolumeOptions{});
  json["effect"] = describe_fields(EffectSettings{});
  json["bake"] = describe_fields(MorphBasisOptions{});
  for (const Json& field : describe_fields(BetweenKeysOptions{})) json["bake"].push_back(field);
  json["motion"] = describe_fields(RetargetOptions{});
  json["effects"] = describe_effects();
  return json;
}

Json describe(const Document& document, const Stage& stage) {
  const Character& character = document.character();
  const Topology& topology = stage.welded().topology();
  std::size_t closed = 0, measured = 0;
  for (std::size_t c = 0; c < topology.components.size(); ++c) {
    closed += topology.components[c].closed ? 1 : 0;
    measured += stage.welded().has_volume(c) ? 1 : 0;
  }
  const Box box = bounding_box(stage.welded().surface().positions);
  Json json = {{"name", character.name},
               {"vertices", character.vertex_count()},
               {"welded_vertices", stage.welded().surface().vertex_count()},
               {"faces", describe_faces(document.file().character.count_faces())},
               {"parts", describe_parts(document)},
               {"components", {{"count", topology.components.size()}, {"closed", closed}, {"measured", measured}}},
               {"deforming", character.skeleton.deforming_count()},
               {"joints", describe_joints(document, stage)},
               {"clips", describe_clips(character)},
               {"size", box.isEmpty() ? 1.0 : box.diagonal().norm()},
               {"problems", describe(find_problems(stage.welded()))},
               {"settings", Json::parse(write_volume_settings(document.settings()))}};
  return json;
}

Json describe(const BindResult& result, const Context& context) {
  std::size_t across = 0, outside = 0;
  for (const BoundVolume& volume : result.volumes) {
    across += volume.gvb.across_gap;
    outside += volume.gvb.outside_handles;
  }
  Json json = {{"vertices", result.vertices},
               {"bound", result.bound},
               {"joints", result.joints},
               {"resolution", result.resolution},
               {"resolution_reason", result.resolution_reason},
               {"voxels", {{"uniform", result.uniform_voxels}, {"sparse", result.sparse_voxels}}},
               {"fallbacks", {{"across_gap", across}, {"joints_outside", outside}}},
               {"problems", describe(result.problems)},
               {"seconds", Json::object()}};
  for (const StageTime& time : context.times()) json["seconds"][time.name] = time.seconds;
  return json;
}

Json describe(const BroughtMotion& motion, const Character& character) {
  return {{"clip", motion.clip},
          {"name", character.clips[motion.clip].name},
          {"matched", motion.retargeted.matched.size()},
          {"unmatched_source", names_of(motion.source, motion.retargeted.unmatched_source)},
          {"unmatched_target", names_of(character.skeleton, motion.retargeted.unmatched_target)},
          {"problems", describe(motion.retargeted.problems)},
          {"clips", describe_clips(character)}};
}

Json describe(const HeldMotion& motion, const BakeResult& baked) {
  return {{"frames", motion.frame_count()},
          {"targets", baked.targets},
          {"joints", baked.twins},
          {"keys", baked.keys},
          {"bytes", baked.bytes},
          {"max_error_before", motion.volume.max_error_before()},
          {"max_error_after", motion.volume.max_error_after()},
          {"problems", describe(motion.problems)}};
}

}  // namespace isochor::web
