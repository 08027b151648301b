#include "engine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include "isochor/base/error.h"
#include "isochor/io/bake.h"
#include "isochor/io/playback.h"
#include "isochor/io/volume_settings.h"
#include "isochor/io/written_character.h"
#include "isochor/voxel/voxel_surface.h"
#include "isochor/voxel/voxelize.h"
#include "report.h"

namespace isochor::web {
namespace {

constexpr std::array<const char*, 4> kErrorKinds = {"bad_input", "unsupported", "io", "cancelled"};
constexpr std::array<const char*, kViews> kViewNames = {"lbs", "dqs", "held"};
constexpr std::array<const char*, 5> kPaints = {"none", "weight", "joints", "gamma", "displacement"};

Json error_json(const char* kind, const std::string& sentence, Index element = kNone) {
  return {{"error", {{"kind", kind}, {"sentence", sentence}, {"element", element}}}};
}

Json parse(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw_bad_input("the request is not JSON");
  return json;
}

/// [[pattern, number], …]
std::vector<JointFalloff> joint_falloffs(const Json& json) {
  std::vector<JointFalloff> out;
  for (const Json& rule : json) {
    if (!rule.is_array() || rule.size() != 2 || !rule[0].is_string() || !rule[1].is_number()) {
      throw_bad_input("falloffs of joints are given as pairs of a name and a number");
    }
    out.push_back({rule[0].get<std::string>(), rule[1].get<double>()});
  }
  return out;
}

BindOptions bind_options(const std::string& text) {
  Json json = parse(text);
  BindOptions options;
  take_fields(json, options);
  if (const auto found = json.find("joint-falloff"); found != json.end()) {
    options.joint_falloff = joint_falloffs(*found);
    json.erase(found);
  }
  refuse_others(json);
  return options;
}

/// What decides about distances: the options without falloffs.
std::string distances_key(const std::string& options) {
  Json json = parse(options);
  json.erase("falloff");
  json.erase("joint-falloff");
  return json.dump();
}

template <std::size_t N>
std::size_t name_index(const std::array<const char*, N>& names, const std::string& name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (name == names[i]) return i;
  }
  throw_bad_input("there is no " + name);
}

FrameRequest frame_request(const std::string& text) {
  const Json json = parse(text);
  FrameRequest request;
  request.clip = json.value("clip", kNone);
  request.time = json.value("time", 0.0);
  for (const Json& view : json.value("views", Json::array())) {
    request.views[name_index(kViewNames, view.get<std::string>())] = true;
  }
  request.paint = static_cast<Paint>(name_index(kPaints, json.value("paint", std::string("none"))));
  request.joint = json.value("joint", kNone);
  request.normals = json.value("normals", true);
  request.follows = json.value("follows", false);
  return request;
}

/// NaN is no JSON number.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

std::string Engine::answer(const std::function<Json()>& work) const {
  Json json;
  try {
    json = work();
  } catch (const Error& error) {
    json = error_json(kErrorKinds[static_cast<std::size_t>(error.kind())], error.what(), error.element());
  } catch (const std::bad_alloc&) {
    json = error_json("memory", "not enough memory for this input");
  } catch (const std::exception& error) {
    json = error_json("unexpected", std::string("something unexpected happened: ") + error.what());
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void Engine::need_document() const {
  if (!document_) throw_bad_input("nothing is open");
}

std::string Engine::library() const {
  return answer([] { return describe_library(); });
}

Json Engine::take(Document document) {
  auto next = std::make_unique<Document>(std::move(document));
  auto stage = std::make_unique<Stage>(*next);
  bytes_ = next->glb();
  stage_ = std::move(stage);  // before the document that the old one refers to goes
  document_ = std::move(next);
  return describe(*document_, *stage_);
}

namespace {

/// A context that reports to the page, and asks it whether to stop.
void connect(Context& context, const Engine::Hooks& hooks) {
  context.set_threads(1);
  if (hooks.progress) context.set_progress(hooks.progress);
  if (hooks.stop) context.set_stop(hooks.stop);
}

}  // namespace

std::string Engine::open(const std::string& file, const std::string& skeleton) {
  return answer([&] {
    Context context;
    connect(context, hooks_);
    return take(Document::open(file, skeleton, context));
  });
}

std::string Engine::sample(const std::string& name) {
  return answer([&] {
    Context context;
    connect(context, hooks_);
    return take(Document::sample(name, context));
  });
}

void Engine::close() {
  stage_.reset();
  document_.reset();
  bytes_ = {};
  voxel_positions_ = {};
  voxel_indices_ = {};
}

std::string Engine::inspect() {
  return answer([&] {
    need_document();
    return describe(*document_, *stage_);
  });
}

std::string Engine::bind(const std::string& options) {
  return answer([&] {
    need_document();
    Context context;
    connect(context, hooks_);
    const BindResult result = document_->bind(bind_options(options), distances_key(options), context);
    Context unstopped(1);  // the document has its new weights: stopping here would leave the stage without a playback
    stage_->reweigh(unstopped);
    return describe(result, context);
  });
}

std::string Engine::weigh(const std::string& falloffs) {
  return answer([&] {
    need_document();
    const Json json = parse(falloffs);
    Context context(1);
    document_->weigh({json.value("falloff", 0.1), joint_falloffs(json.value("joints", Json::array()))}, context);
    json.value("draft", false) ? stage_->draft_weights() : stage_->reweigh(context);
    Json seconds = Json::object();
    for (const StageTime& time : context.times()) seconds[time.name] = time.seconds;
    return Json{{"seconds", seconds}};
  });
}

std::string Engine::unbind() {
  return answer([&] {
    need_document();
    Context context(1);
    document_->unbind();
    stage_->reweigh(context);
    return Json::object();
  });
}

std::string Engine::set_settings(const std::string& text) {
  return answer([&] {
    need_document();
    Context context(1);
    stage_->set_settings(parse_volume_settings(text), context);
    return Json{{"settings", Json::parse(write_volume_settings(stage_->settings()))},
                {"problems", describe(stage_->problems())}};
  });
}

std::string Engine::set_turns(const std::string& text) {
  return answer([&] {
    need_document();
    std::vector<JointTurn> turns;
    for (const Json& turn : parse(text)) {
      turns.push_back({turn.at(0).get<Index>(), Quat(turn.at(4).get<double>(), turn.at(1).get<double>(),
                                                     turn.at(2).get<double>(), turn.at(3).get<double>())
                                                    .normalized()});
    }
    stage_->set_turns(std::move(turns));
    return Json::object();
  });
}

std::string Engine::frame(const std::string& text) {
  return answer([&] {
    need_document();
    Context context(1);
    const FrameRequest request = frame_request(text);
    stage_->show(request, context);
    Json views = Json::object();
    for (std::size_t v = 0; v < kViews; ++v) {
      if (!request.views[v]) continue;
      const ShownView& view = stage_->view(static_cast<View>(v));
      Json& json = views[kViewNames[v]] = {{"volume", number(view.volume)}, {"milliseconds", view.milliseconds}};
      if (!view.failure.empty()) json["failure"] = view.failure;
    }
    return Json{{"views", std::move(views)}, {"max_displacement", stage_->max_displacement()}};
  });
}

std::string Engine::volumes(const std::string& text) {
  return answer([&] {
    need_document();
    const Json request = parse(text);
    Context context(1);
    std::array<Json, kViews> columns = {Json::array(), Json::array(), Json::array()};
    for (const Json& time : request.at("times")) {
      const auto found = stage_->volumes(request.value("clip", kNone), time.get<double>(), context);
      for (std::size_t v = 0; v < kViews; ++v) columns[v].push_back(number(found[v]));
    }
    Json json;
    for (std::size_t v = 0; v < kViews; ++v) json[kViewNames[v]] = std::move(columns[v]);
    return json;
  });
}

std::string Engine::voxels(int resolution) {
  return answer([&] {
    need_document();
    if (resolution < 8 || resolution > 256 || (resolution & (resolution - 1)) != 0) {
      throw_bad_input("voxels are shown at a power of two from 8 to 256");
    }
    Context context;
    connect(context, hooks_);
    const Surface& surface = stage_->welded().surface();
    if (surface.face_count() == 0) throw_bad_input("there is no mesh to make voxels of");
    const VoxelGrid grid = fit_grid(bounding_box(surface.positions), resolution);
    const VoxelSolid solid = voxelize(surface, grid, {}, context).solid;
    const VoxelSurface shown = voxel_surface(grid, voxels_of_kind(solid, VoxelSolid::Kind::boundary));
    voxel_positions_.clear();
    voxel_indices_.clear();
    for (const Vec3& p : shown.surface.positions) {
      for (int k = 0; k < 3; ++k) voxel_positions_.push_back(static_cast<float>(p[k]));
    }
    for (const auto& triangle : triangulate(shown.surface).triangles) {
      voxel_indices_.insert(voxel_indices_.end(), triangle.begin(), triangle.end());
    }
    return Json{{"boundary", solid.boundary_count()}, {"interior", solid.interior_count()}};
  });
}

std::string Engine::add_motion(const std::string& file, const std::string& text) {
  return answer([&] {
    need_document();
    Json json = parse(text);
    MotionOptions options;
    if (const auto clip = json.find("clip"); clip != json.end()) {
      options.clip = clip->get<std::string>();
      json.erase(clip);
    }
    take_fields(json, options.retarget);
    refuse_others(json);
    Context context;
    connect(context, hooks_);
    return describe(document_->add_motion(file, options, context), document_->character());
  });
}

std::string Engine::remove_clip(int clip) {
  return answer([&] {
    need_document();
    document_->remove_clip(clip);
    return describe(*document_, *stage_)["clips"];
  });
}

std::string Engine::save() {
  return answer([&] {
    need_document();
    GltfSource source = *document_->file().as_read;
    std::vector<Index> clips;
    const Loaded loaded = document_->to_save(stage_->turns());
    bring_up_to_date(source, loaded.character, clips);
    set_volume_settings(source.document, stage_->settings());
    bytes_ = source.document.to_glb();
    return Json{{"bytes", bytes_.size()}};
  });
}

std::string Engine::bake(const std::string& text) {
  return answer([&] {
    need_document();
    Json json = parse(text);
    BakeOptions options;
    HoldOptions hold;
    std::vector<Index> chosen;
    take_fields(json, options.basis);
    take_fields(json, options.twins);
    take_fields(json, hold.between);
    options.twins.between = hold.between.volume_error;
    if (const auto form = json.find("form"); form != json.end()) {
      read_field(*form, options.form, FieldInfo{.name = "form", .help = ""});
      json.erase(form);
    }
    if (const auto clips = json.find("clips"); clips != json.end()) {
      chosen = clips->get<std::vector<Index>>();
      json.erase(clips);
    }
    refuse_others(json);
    Context context;
    connect(context, hooks_);
    const Loaded loaded = document_->to_save(stage_->turns());
    if (loaded.character.clips.empty()) {
      throw_bad_input("there is nothing to bake: the character has no clip, and stands in its rest pose");
    }
    WrittenCharacter file = as_written(loaded, options.form);
    const WeldedCharacter welded(file.character());
    for (std::size_t c = 0; c < file.clips().size(); ++c) {
      const bool wanted =
          chosen.empty() || std::find(chosen.begin(), chosen.end(), static_cast<Index>(c)) != chosen.end();
      if (wanted && file.clips()[c] != kNone) hold.clips.push_back(file.clips()[c]);
    }
    if (hold.clips.empty()) throw_bad_input("there is no clip that moves anything");
    hold.playback = playback_of(file, welded, {.settings = stage_->settings()});
    const HeldMotion motion = hold_volume(welded, hold, context);
    set_volume_settings(file.source().document, stage_->settings());
    const BakeResult baked = isochor::bake(motion, welded, options, file, context);
    bytes_ = file.source().document.to_glb();
    return describe(motion, baked);
  });
}

}  // namespace isochor::web
