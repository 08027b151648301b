/// The engine as a JavaScript class. This is the one source that knows emscripten.

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include "engine.h"

namespace isochor::web {
namespace {

using emscripten::typed_memory_view;
using emscripten::val;

/// `hooks` is {progress(stage, fraction), stop()}.
Engine::Hooks from_page(const val& hooks) {
  return {.progress = [hooks](std::string_view stage,
                              double fraction) { hooks.call<void>("progress", std::string(stage), fraction); },
          .stop = [hooks] { return hooks.call<bool>("stop"); }};
}

template <class T>
val view_of(std::span<const T> values) {
  return val(typed_memory_view(values.size(), values.data()));
}

std::unique_ptr<Engine> make_engine(const val& hooks) { return std::make_unique<Engine>(from_page(hooks)); }

val positions(const Engine& engine, int view) { return view_of(engine.positions(static_cast<View>(view))); }
val normals(const Engine& engine, int view) { return view_of(engine.normals(static_cast<View>(view))); }
val joints(const Engine& engine) { return view_of(engine.joints()); }
val paint(const Engine& engine) { return view_of(engine.paint()); }
val voxel_positions(const Engine& engine) { return view_of(engine.voxel_positions()); }
val voxel_indices(const Engine& engine) { return view_of(engine.voxel_indices()); }
val bytes(const Engine& engine) { return view_of(engine.bytes()); }

}  // namespace

EMSCRIPTEN_BINDINGS(isochor) {
  emscripten::class_<Engine>("Engine")
      .constructor(&make_engine)
      .function("library", &Engine::library)
      .function("open", &Engine::open)
      .function("sample", &Engine::sample)
      .function("close", &Engine::close)
      .function("inspect", &Engine::inspect)
      .function("bind", &Engine::bind)
      .function("weigh", &Engine::weigh)
      .function("unbind", &Engine::unbind)
      .function("setSettings", &Engine::set_settings)
      .function("setTurns", &Engine::set_turns)
      .function("frame", &Engine::frame)
      .function("volumes", &Engine::volumes)
      .function("voxels", &Engine::voxels)
      .function("addMotion", &Engine::add_motion)
      .function("removeClip", &Engine::remove_clip)
      .function("save", &Engine::save)
      .function("bake", &Engine::bake)
      .function("positions", &positions)
      .function("normals", &normals)
      .function("joints", &joints)
      .function("paint", &paint)
      .function("voxelPositions", &voxel_positions)
      .function("voxelIndices", &voxel_indices)
      .function("bytes", &bytes);
}

}  // namespace isochor::web
