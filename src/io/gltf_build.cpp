#include "gltf_build.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace isochor::gltf {
namespace {

/// The row as floats whose sum is 1 to the last bit but one: the strongest takes what rounding left.
std::vector<std::pair<Index, float>> round_row(std::span<const Influence> row) {
  std::vector<std::pair<Index, float>> out;
  double sum = 0;
  for (const Influence& influence : row) sum += influence.weight;
  for (const Influence& influence : row) {
    const auto weight = static_cast<float>(influence.weight / sum);
    if (weight > 0) out.emplace_back(influence.joint, weight);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  double others = 0;
  for (std::size_t k = 1; k < out.size(); ++k) others += static_cast<double>(out[k].second);
  if (out.empty()) {
    out.emplace_back(0, 1.0f);
  } else {
    out.front().second = static_cast<float>(1.0 - others);
  }
  return out;
}

const char* path_name(ChannelPath path) {
  switch (path) {
    case ChannelPath::translation:
      return "translation";
    case ChannelPath::rotation:
      return "rotation";
    case ChannelPath::scale:
      return "scale";
    case ChannelPath::morph_weights:
      return "weights";
  }
  return "";
}

const char* type_name(ChannelPath path) {
  if (path == ChannelPath::rotation) return "VEC4";
  return path == ChannelPath::morph_weights ? "SCALAR" : "VEC3";
}

const char* interpolation_name(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::step:
      return "STEP";
    case Interpolation::cubic_spline:
      return "CUBICSPLINE";
    case Interpolation::linear:
      break;
  }
  return "LINEAR";
}

/// A channel's keys at the file's edge.
struct Keys {
  std::vector<float> times, values;
  Interpolation interpolation = Interpolation::linear;
};

void normalise_rotation(std::span<float> q) {
  const double norm = std::sqrt(std::inner_product(q.begin(), q.end(), q.begin(), 0.0));
  if (norm > 0) {
    for (float& x : q) x = static_cast<float>(x / norm);
  } else {
    q[3] = 1;
  }
}

Keys to_keys(const Channel& channel, double shift, ProblemCollector& coincident) {
  Keys keys;
  keys.interpolation = channel.interpolation;
  const std::size_t n = channel.times.size();
  std::size_t stride = n ? channel.values.size() / n : 0;
  std::size_t skip = 0;
  if (channel.interpolation == Interpolation::cubic_spline && n < 2) {
    // A spline needs two keys; one key is a constant.
    keys.interpolation = Interpolation::step;
    skip = stride /= 3;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto time = static_cast<float>(channel.times[k] - shift);
    if (!keys.times.empty() && time <= keys.times.back()) {
      coincident.add(static_cast<Index>(k));
      continue;
    }
    keys.times.push_back(time);
    const double* from = channel.values.data() + k * stride + skip;
    for (std::size_t i = 0; i < stride; ++i) keys.values.push_back(static_cast<float>(from[i]));
    if (channel.path == ChannelPath::rotation) {
      const bool spline = keys.interpolation == Interpolation::cubic_spline;
      normalise_rotation(std::span(keys.values).last(spline ? 8 : 4).first(4));
    }
  }
  return keys;
}

}  // namespace

std::size_t at(Index index) { return static_cast<std::size_t>(index); }

void append_weights(Impl& impl, const SkinWeights& weights, std::span<const Index> vertices, Json& attributes) {
  const std::size_t n = vertices.size();
  std::vector<std::vector<std::pair<Index, float>>> rows;
  rows.reserve(n);
  std::size_t most = 1;
  for (const Index vertex : vertices) {
    rows.push_back(round_row(weights.row(at(vertex))));
    most = std::max(most, rows.back().size());
  }
  for (std::size_t set = 0; 4 * set < most; ++set) {
    std::vector<std::uint32_t> joints(4 * n, 0);
    std::vector<float> values(4 * n, 0.0f);
    for (std::size_t v = 0; v < n; ++v) {
      for (std::size_t k = 4 * set; k < std::min(rows[v].size(), 4 * set + 4); ++k) {
        joints[4 * v + k % 4] = static_cast<std::uint32_t>(rows[v][k].first);
        values[4 * v + k % 4] = rows[v][k].second;
      }
    }
    const std::string suffix = "_" + std::to_string(set);
    attributes["JOINTS" + suffix] = append_joints(impl, joints);
    attributes["WEIGHTS" + suffix] = append_floats(impl, "VEC4", values, Usage::vertex);
  }
}

Index append_inverse_binds(Impl& impl, std::span<const Affine> inverse_bind) {
  std::vector<float> values;
  values.reserve(inverse_bind.size() * 16);
  for (const Affine& matrix : inverse_bind) {
    for (int column = 0; column < 4; ++column) {
      for (int row = 0; row < 3; ++row) values.push_back(static_cast<float>(matrix(row, column)));
      values.push_back(column == 3 ? 1.0f : 0.0f);
    }
  }
  return append_floats(impl, "MAT4", values, Usage::plain);
}

std::vector<float> to_floats(std::span<const Vec3> vectors) {
  std::vector<float> out;
  out.reserve(vectors.size() * 3);
  for (const Vec3& v : vectors) {
    for (int k = 0; k < 3; ++k) out.push_back(static_cast<float>(v[k]));
  }
  return out;
}

std::vector<float> to_floats(std::span<const Vec3> vectors, std::span<const Index> vertices) {
  std::vector<float> out;
  out.reserve(vertices.size() * 3);
  for (const Index vertex : vertices) {
    for (int k = 0; k < 3; ++k) out.push_back(static_cast<float>(vectors[at(vertex)][k]));
  }
  return out;
}

std::vector<float> to_unit_floats(std::span<const Vec3> vectors, std::span<const Index> vertices) {
  std::vector<Vec3> unit;
  unit.reserve(vertices.size());
  for (const Index vertex : vertices) {
    const Vec3& v = vectors[at(vertex)];
    const double norm = v.stableNorm();
    unit.push_back(norm > 0 && std::isfinite(norm) ? Vec3(v / norm) : Vec3::UnitZ());
  }
  return to_floats(unit);
}

void set_transform(Json& node, const Transform& transform) {
  const Vec3& t = transform.translation;
  const Vec3& s = transform.scale;
  const Quat q = transform.rotation.normalized();
  if (t != Vec3::Zero()) node["translation"] = {t.x(), t.y(), t.z()};
  if (q.vec() != Vec3::Zero()) node["rotation"] = {q.x(), q.y(), q.z(), q.w()};
  if (s != Vec3::Ones()) node["scale"] = {s.x(), s.y(), s.z()};
}

Index append_animation(Impl& impl, const Clip& clip, const ChannelTargets& targets, Problems& problems) {
  const double shift = std::min(0.0, clip.start());
  if (shift < 0) {
    problems.push_back({Severity::warning,
                        "gltf-negative-time",
                        "the clip '" + clip.name + "' began before zero and was moved to begin at zero",
                        {},
                        1});
  }
  Json channels = Json::array();
  Json samplers = Json::array();
  std::map<std::vector<float>, Index> inputs;
  std::set<std::pair<Index, ChannelPath>> taken;
  ProblemCollector coincident, repeated;
  // Of two channels with one target the later one wins when a clip is sampled; glTF allows one.
  for (std::size_t c = clip.channels.size(); c-- > 0;) {
    const Channel& channel = clip.channels[c];
    std::vector<Index> nodes = targets(channel);
    std::erase_if(nodes, [&](Index node) { return !taken.emplace(node, channel.path).second; });
    if (nodes.empty() || channel.times.empty()) {
      repeated.add(static_cast<Index>(c));
      continue;
    }
    const Keys keys = to_keys(channel, shift, coincident);
    const auto [input, is_new] = inputs.try_emplace(keys.times, kNone);
    if (is_new) input->second = append_floats(impl, "SCALAR", keys.times, Usage::plain, Bounds::with);
    const Index output = append_floats(impl, type_name(channel.path), keys.values, Usage::plain);
    samplers.push_back(
        {{"input", input->second}, {"interpolation", interpolation_name(keys.interpolation)}, {"output", output}});
    for (const Index node : nodes) {
      channels.push_back(
          {{"sampler", samplers.size() - 1}, {"target", {{"node", node}, {"path", path_name(channel.path)}}}});
    }
  }
  coincident.report(
      problems, Severity::warning, "gltf-key-order",
      "{} key{|s} of the clip '" + clip.name + "' coincide{s|} in single precision and {was|were} left out");
  repeated.report(problems, Severity::note, "gltf-channel-ignored",
                  "{} channel{|s} of the clip '" + clip.name + "' {has|have} nothing to move and {was|were} left out");
  if (channels.empty()) return kNone;
  std::reverse(channels.begin(), channels.end());
  return push(impl.json, "animations", {{"name", clip.name}, {"channels", channels}, {"samplers", samplers}});
}

std::vector<Index> node_parents(const Json& root) {
  std::vector<Index> parent(count(root, "nodes"), kNone);
  for (std::size_t i = 0; i < parent.size(); ++i) {
    const Json* children = find(item(root, "nodes", i), "children");
    if (!children) continue;
    for (const Json& child : *children) parent[child.get<std::size_t>()] = static_cast<Index>(i);
  }
  return parent;
}

void ensure_common_root(Impl& impl, std::span<const Index> joint_nodes) {
  const std::vector<Index> parent = node_parents(impl.json);
  std::vector<Index> roots;
  for (Index node : joint_nodes) {
    while (parent[at(node)] != kNone) node = parent[at(node)];
    if (std::find(roots.begin(), roots.end(), node) == roots.end()) roots.push_back(node);
  }
  if (roots.size() < 2) return;
  const Index top = push(impl.json, "nodes", {{"name", "skeleton_root"}, {"children", roots}});
  if (!find(impl.json, "scenes")) return;
  for (Json& scene : impl.json["scenes"]) {
    Json* nodes = find(scene, "nodes");
    if (!nodes) continue;
    const std::size_t before = nodes->size();
    std::erase_if(nodes->get_ref<Json::array_t&>(), [&](const Json& node) {
      return std::find(roots.begin(), roots.end(), node.get<Index>()) != roots.end();
    });
    if (nodes->size() != before) nodes->push_back(top);
  }
}

}  // namespace isochor::gltf
