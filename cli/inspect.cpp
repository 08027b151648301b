/// isochor inspect FILE: what is in it and what is wrong with it.

#include <CLI/CLI.hpp>
#include <iostream>

#include "commands.h"
#include "isochor/base/error.h"
#include "isochor/io/load.h"
#include "isochor/io/point_cache.h"
#include "isochor/rig/welded_character.h"
#include "options.h"
#include "session.h"

namespace isochor::cli {
namespace {

struct Inspect {
  std::filesystem::path file;
  std::filesystem::path skeleton;
  bool json = false;
  WeldOptions weld;
};

Json describe_faces(const Character::FaceCounts& faces) {
  return {{"triangles", faces.triangles}, {"quads", faces.quads}, {"polygons", faces.polygons}};
}

Json list_parts(const Character& character) {
  Json parts = Json::array();
  for (const Part& part : character.parts) {
    Json json;
    json["name"] = part.name;
    json["vertices"] = part.surface.vertex_count();
    json["faces"] = part.surface.face_count();
    json["skinned"] = part.skinned();
    if (part.skinned()) {
      json["joints"] = part.skin.joints.size();
      json["max_influences"] = part.weights.max_influences();
      json["mean_influences"] = part.weights.vertex_count() == 0 ? 0.0
                                                                 : static_cast<double>(part.weights.influences.size()) /
                                                                       static_cast<double>(part.weights.vertex_count());
    }
    if (!part.morphs.empty()) json["morph_targets"] = part.morphs.size();
    parts.push_back(std::move(json));
  }
  return parts;
}

Json list_components(const WeldedCharacter& welded) {
  Json components = Json::array();
  const auto& found = welded.topology().components;
  for (std::size_t c = 0; c < found.size(); ++c) {
    components.push_back({{"vertices", found[c].vertices.size()},
                          {"faces", found[c].faces.size()},
                          {"closed", found[c].closed},
                          {"manifold", found[c].manifold},
                          {"oriented", found[c].oriented},
                          {"boundary_loops", found[c].boundary_loops.size()},
                          {"volume", welded.rest_volumes()[c]}});
  }
  return components;
}

Json list_clips(const Character& character) {
  Json clips = Json::array();
  for (const Clip& clip : character.clips) {
    clips.push_back({{"name", clip.name},
                     {"start", clip.start()},
                     {"duration", clip.duration()},
                     {"keys", frame_times(clip).size()},
                     {"channels", clip.channels.size()}});
  }
  return clips;
}

/// Those that take weight, parents first.
Json list_joints(const Skeleton& skeleton) {
  Json joints = Json::array();
  for (const Joint& joint : skeleton.joints) {
    if (!joint.deforms) continue;
    Json json = {{"name", joint.name}};
    if (joint.parent != kNone) json["parent"] = skeleton.joints[joint.parent].name;
    joints.push_back(std::move(json));
  }
  return joints;
}

/// Every joint below its parent, as far in as it is deep.
void print_joints(Session& session, const Skeleton& skeleton) {
  std::vector<std::size_t> depth(skeleton.size(), 0);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (joint.parent != kNone) {
      depth[j] = depth[joint.parent] + (skeleton.joints[joint.parent].deforms ? 1 : 0);
    }
    if (joint.deforms) session.print_detail(std::string(12 + 2 * depth[j], ' ') + joint.name);
  }
}

void print_text(Session& session, const Json& report, const Character& character) {
  const auto& faces = report["faces"];
  std::size_t closed = 0;
  for (const Json& component : report["components"]) closed += component["closed"].get<bool>() ? 1 : 0;
  session.print("vertices    " + report["vertices"].dump() + " (" + report["welded_vertices"].dump() +
                " where they are welded)");
  session.print("faces       " + faces["triangles"].dump() + " triangles, " + faces["quads"].dump() + " quads, " +
                faces["polygons"].dump() + " larger polygons");
  session.print("parts       " + std::to_string(character.parts.size()));
  for (const Part& part : character.parts) {
    session.print_detail("            " + part.name + ", " + count_of(part.surface.vertex_count(), "vertex") +
                         (part.skinned() ? "" : ", not skinned"));
  }
  session.print("components  " + std::to_string(report["components"].size()) + ", " + std::to_string(closed) +
                " of them closed");
  for (const Json& component : report["components"]) {
    session.print_detail("            " + component["vertices"].dump() + " vertices, " +
                         (component["closed"].get<bool>() ? "closed" : "open") + ", volume " +
                         short_number(component["volume"].get<double>()));
  }
  session.print("joints      " + report["joints"].dump());
  print_joints(session, character.skeleton);
  session.print("clips       " + std::to_string(character.clips.size()));
  for (const Clip& clip : character.clips) {
    session.print("            " + (clip.name.empty() ? std::string("(no name)") : clip.name) + ", " +
                  short_number(clip.duration()) + " s, " + count_of(frame_times(clip).size(), "key"));
  }
  if (report["problems"].empty()) session.print("problems    none");
  for (const Json& problem : report["problems"]) {
    session.print(problem["severity"].get<std::string>() + ": " + problem["sentence"].get<std::string>());
  }
}

/// A point cache has no mesh beside it: how many points move, when, and where to.
int inspect_cache(const Inspect& options, PointCacheFormat format, Session& session) {
  if (!options.skeleton.empty()) throw_bad_input("--skeleton is for a mesh, not for a point cache");
  Json& report = session.report();
  session.claim({.inputs = {options.file}});
  report["inputs"].push_back(options.file.string());
  const PointCache cache = read_point_cache(options.file, format);
  Box box;
  for (std::size_t i = 0; i < cache.positions.size(); i += 3) {
    box.extend(Eigen::Vector3f::Map(&cache.positions[i]).cast<double>());
  }
  const auto corner = [](const Vec3& p) { return Json{p.x(), p.y(), p.z()}; };
  report["points"] = cache.points;
  report["samples"] = cache.times.size();
  report["times"] = cache.times;
  report["box"] = cache.positions.empty() ? Json::array() : Json{corner(box.min()), corner(box.max())};
  if (options.json) {
    std::cout << report.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    return exit_done;
  }
  session.print("points      " + std::to_string(cache.points));
  session.print("samples     " + std::to_string(cache.times.size()));
  if (cache.times.empty()) return exit_done;
  const std::string unit = format == PointCacheFormat::mdd ? " s" : "";
  session.print((unit.empty() ? "frames      " : "times       ") + short_number(cache.times.front()) + " to " +
                short_number(cache.times.back()) + unit);
  const auto print_corner = [&](const char* name, const Vec3& p) {
    session.print(name + short_number(p.x()) + ", " + short_number(p.y()) + ", " + short_number(p.z()));
  };
  print_corner("from        ", box.min());
  print_corner("to          ", box.max());
  return exit_done;
}

int inspect(const Inspect& options, Session& session) {
  if (const auto format = point_cache_format(options.file)) return inspect_cache(options, *format, session);
  Json& report = session.report();
  session.claim({.inputs = {options.file, options.skeleton}});
  report["inputs"].push_back(options.file.string());
  report_options(report["options"], options.weld);
  Loaded loaded = load_character(options.file, {.keep_baked = true}, session.context());
  session.claim({.inputs = loaded.files});
  if (!options.skeleton.empty()) attach_skeleton(loaded.character, options.skeleton, session.context());
  const Character& character = loaded.character;
  Context& context = session.context();
  context.progress("weld", 0);
  const WeldedCharacter welded(character, options.weld);
  context.progress("inspect", 0);

  report["vertices"] = character.vertex_count();
  report["welded_vertices"] = welded.surface().vertex_count();
  report["faces"] = describe_faces(character.count_faces());
  report["parts"] = list_parts(character);
  report["components"] = list_components(welded);
  report["joints"] = character.skeleton.deforming_count();
  report["joint_names"] = list_joints(character.skeleton);
  report["clips"] = list_clips(character);
  context.progress("inspect", 0.3);
  report["problems"] = to_json(find_problems(welded));
  context.progress("inspect", 1);
  if (options.json) {
    std::cout << report.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  } else {
    print_text(session, report, character);
  }
  return exit_done;
}

}  // namespace

void add_inspect(CLI::App& program, Session& session) {
  CLI::App& command = *program.add_subcommand("inspect", "what is in a file and what is wrong with it");
  auto options = std::make_shared<Inspect>();
  command.add_option("FILE", options->file, "a mesh, a character, a motion or a point cache")->required();
  command.add_option("--skeleton", options->skeleton, "a skeleton for a mesh that has none (rig.txt, TGF, BVH, glTF)")
      ->type_name("FILE");
  command.add_flag("--json", options->json, "print the report instead of text");
  add_options(command, options->weld, "Surface");
  session.add_common_options(command);
  command.callback([options, &session] {
    session.set_action("inspect", [options, &session] { return inspect(*options, session); });
  });
}

}  // namespace isochor::cli
