#pragma once

/// An independent evaluation of a skinned glTF by the specification's formulas, in double precision, for tests: its own
/// walk over the JSON, its own matrices. It reads what the real characters use and no more.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace isochor::test {

class GltfReference {
 public:
  using Json = nlohmann::ordered_json;
  using Matrix = Eigen::Matrix4d;

  explicit GltfReference(const std::vector<std::uint8_t>& glb) {
    std::uint32_t length = 0;
    std::memcpy(&length, glb.data() + 12, 4);
    json = Json::parse(glb.begin() + 20, glb.begin() + 20 + length);
    if (glb.size() > 28 + length) bin.assign(glb.begin() + 28 + length, glb.end());
    parent.assign(json["nodes"].size(), -1);
    for (std::size_t i = 0; i < parent.size(); ++i) {
      for (const auto& child : json["nodes"][i].value("children", Json::array())) {
        parent[child.get<std::size_t>()] = static_cast<int>(i);
      }
    }
  }

  Json json;
  std::vector<std::uint8_t> bin;
  std::vector<int> parent;

  /// Animated values by node and path.
  using Overrides = std::map<std::pair<int, std::string>, std::vector<double>>;

  using Rows = std::vector<std::vector<double>>;

  /// Read once and kept: every pose asks for the same ones.
  const Rows& read(int index) const {
    const auto known = rows_.find(index);
    return known != rows_.end() ? known->second : rows_.emplace(index, decode(index)).first->second;
  }

  double duration(std::size_t animation) const {
    double end = 0;
    for (const Json& s : json["animations"][animation]["samplers"]) end = std::max(end, read(s["input"]).back()[0]);
    return end;
  }

  Overrides sample(std::size_t animation, double time) const {
    Overrides out;
    const Json& a = json["animations"][animation];
    for (const Json& channel : a["channels"]) {
      const Json& sampler = a["samplers"][channel["sampler"].get<std::size_t>()];
      const std::string path = channel["target"]["path"];
      const std::string mode = sampler.value("interpolation", "LINEAR");
      const Rows& t = read(sampler["input"]);
      std::vector<double> flat;
      for (const auto& row : read(sampler["output"])) flat.insert(flat.end(), row.begin(), row.end());
      const std::size_t parts = mode == "CUBICSPLINE" ? 3 : 1;
      const std::size_t width = flat.size() / t.size() / parts;
      const auto key = [&](std::size_t k, std::size_t part) {
        const auto begin = flat.begin() + static_cast<std::ptrdiff_t>((k * parts + part) * width);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(width));
      };
      const std::size_t middle = parts == 3 ? 1 : 0;
      std::size_t k = 0;
      while (k + 1 < t.size() && t[k + 1][0] <= time) ++k;
      std::vector<double> v = key(k, middle);
      if (time > t[k][0] && k + 1 < t.size() && mode != "STEP") {
        const double length = t[k + 1][0] - t[k][0], u = (time - t[k][0]) / length;
        const auto b = key(k + 1, middle);
        if (mode == "CUBICSPLINE") {
          const auto out_tangent = key(k, 2), in_tangent = key(k + 1, 0);
          const double u2 = u * u, u3 = u2 * u;
          for (std::size_t i = 0; i < width; ++i) {
            v[i] = (2 * u3 - 3 * u2 + 1) * v[i] + length * (u3 - 2 * u2 + u) * out_tangent[i] +
                   (3 * u2 - 2 * u3) * b[i] + length * (u3 - u2) * in_tangent[i];
          }
        } else if (path == "rotation") {
          v = slerp(v, b, u);
        } else {
          for (std::size_t i = 0; i < width; ++i) v[i] += (b[i] - v[i]) * u;
        }
      }
      if (path == "rotation") normalise(v);
      out[{channel["target"]["node"].get<int>(), path}] = v;
    }
    return out;
  }

  /// Positions of one primitive of a mesh node, by the specification's formula. Weights are divided by their sum, which
  /// the specification asks to be 1. Vertices without a usable weight are not a number.
  std::vector<Eigen::Vector3d> pose(int node, std::size_t primitive, const Overrides& over) const {
    const Json& n = json["nodes"][node];
    const Json& mesh = json["meshes"][n["mesh"].get<std::size_t>()];
    const Json& prim = mesh["primitives"][primitive];
    std::vector<Eigen::Vector3d> p;
    for (const auto& row : read(prim["attributes"]["POSITION"])) p.emplace_back(row[0], row[1], row[2]);
    add_morphs(node, mesh, prim, over, p);
    if (!n.contains("skin")) {
      const Matrix m = global(node, over);
      for (auto& x : p) x = (m * x.homogeneous()).head<3>();
      return p;
    }
    const std::vector<Matrix> joints = skin(n["skin"], over);
    std::vector<Eigen::Vector3d> out(p.size(), Eigen::Vector3d::Zero());
    std::vector<double> sum(p.size(), 0.0);
    for (int set = 0; prim["attributes"].contains("JOINTS_" + std::to_string(set)); ++set) {
      const Rows& j = read(prim["attributes"]["JOINTS_" + std::to_string(set)]);
      const Rows& w = read(prim["attributes"]["WEIGHTS_" + std::to_string(set)]);
      for (std::size_t v = 0; v < p.size(); ++v) {
        for (int k = 0; k < 4; ++k) {
          if (w[v][k] == 0) continue;
          sum[v] += w[v][k];
          out[v] += w[v][k] * (joints[static_cast<std::size_t>(j[v][k])] * p[v].homogeneous()).head<3>();
        }
      }
    }
    for (std::size_t v = 0; v < p.size(); ++v) out[v] /= sum[v];
    return out;
  }

 private:
  mutable std::map<int, Rows> rows_;

  Rows decode(int index) const {
    const Json& a = json["accessors"][index];
    const std::string type = a["type"];
    const int n = type == "SCALAR" ? 1 : type == "MAT4" ? 16 : type[3] - '0';
    Rows out(a["count"].get<std::size_t>(), std::vector<double>(n, 0.0));
    const int component = a["componentType"];
    const bool normalized = a.value("normalized", false);
    if (a.contains("bufferView")) {
      const std::size_t view = a["bufferView"];
      const std::size_t offset = a.value("byteOffset", 0);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = element(view, offset, i, component, n, normalized);
    }
    if (a.contains("sparse")) {
      const Json& s = a["sparse"];
      for (std::size_t i = 0; i < s["count"].get<std::size_t>(); ++i) {
        const auto at = element(s["indices"]["bufferView"], s["indices"].value("byteOffset", 0), i,
                                s["indices"]["componentType"], 1, false)[0];
        out[static_cast<std::size_t>(at)] =
            element(s["values"]["bufferView"], s["values"].value("byteOffset", 0), i, component, n, normalized);
      }
    }
    return out;
  }

  static void normalise(std::vector<double>& q) {
    double n = 0;
    for (const double x : q) n += x * x;
    for (double& x : q) x /= std::sqrt(n);
  }
  static std::vector<double> slerp(std::vector<double> a, std::vector<double> b, double u) {
    normalise(a);
    normalise(b);
    double dot = 0;
    for (int i = 0; i < 4; ++i) dot += a[i] * b[i];
    const double sign = dot < 0 ? -1 : 1;
    const double angle = std::acos(std::min(1.0, std::abs(dot)));
    for (int i = 0; i < 4; ++i) {
      a[i] = angle < 1e-9 ? a[i] + (sign * b[i] - a[i]) * u
                          : (std::sin((1 - u) * angle) * a[i] + sign * std::sin(u * angle) * b[i]) / std::sin(angle);
    }
    return a;
  }

  std::vector<double> element(std::size_t view, std::size_t offset, std::size_t i, int component, int n,
                              bool normalized) const {
    const Json& v = json["bufferViews"][view];
    const std::size_t size = component < 5122 ? 1 : component < 5124 ? 2 : 4;
    const std::size_t stride = v.value("byteStride", size * static_cast<std::size_t>(n));
    const std::uint8_t* at = bin.data() + v.value("byteOffset", 0) + offset + i * stride;
    std::vector<double> out;
    for (int k = 0; k < n; ++k, at += size) {
      std::int8_t i8;
      std::int16_t i16;
      std::uint16_t u16;
      std::uint32_t u32;
      float f;
      switch (component) {
        case 5120:
          std::memcpy(&i8, at, 1), out.push_back(normalized ? std::max(i8 / 127.0, -1.0) : i8);
          break;
        case 5121:
          out.push_back(normalized ? *at / 255.0 : *at);
          break;
        case 5122:
          std::memcpy(&i16, at, 2), out.push_back(normalized ? std::max(i16 / 32767.0, -1.0) : i16);
          break;
        case 5123:
          std::memcpy(&u16, at, 2), out.push_back(normalized ? u16 / 65535.0 : u16);
          break;
        case 5125:
          std::memcpy(&u32, at, 4), out.push_back(u32);
          break;
        default:
          std::memcpy(&f, at, 4), out.push_back(f);
      }
    }
    return out;
  }

  std::vector<double> property(int node, const char* path, const Overrides& over, std::vector<double> otherwise) const {
    const auto known = over.find({node, path});
    if (known != over.end()) return known->second;
    const Json& n = json["nodes"][node];
    return n.contains(path) ? n[path].get<std::vector<double>>() : otherwise;
  }

  Matrix local(int node, const Overrides& over) const {
    const Json& n = json["nodes"][node];
    Matrix m = Matrix::Identity();
    if (n.contains("matrix")) {
      const auto values = n["matrix"].get<std::vector<double>>();
      for (int i = 0; i < 16; ++i) m(i % 4, i / 4) = values[static_cast<std::size_t>(i)];
      return m;
    }
    const auto t = property(node, "translation", over, {0, 0, 0});
    const auto q = property(node, "rotation", over, {0, 0, 0, 1});
    const auto s = property(node, "scale", over, {1, 1, 1});
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    m.topLeftCorner<3, 3>() << 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),  //
        2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),                         //
        2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y);
    for (int c = 0; c < 3; ++c) m.col(c).head<3>() *= s[static_cast<std::size_t>(c)];
    m.col(3).head<3>() << t[0], t[1], t[2];
    return m;
  }

  Matrix global(int node, const Overrides& over) const {
    Matrix m = local(node, over);
    for (int p = parent[static_cast<std::size_t>(node)]; p >= 0; p = parent[static_cast<std::size_t>(p)]) {
      m = local(p, over) * m;
    }
    return m;
  }

  std::vector<Matrix> skin(std::size_t index, const Overrides& over) const {
    const Json& s = json["skins"][index];
    std::vector<Matrix> out;
    const Rows none;
    const Rows& binds = s.contains("inverseBindMatrices") ? read(s["inverseBindMatrices"]) : none;
    for (std::size_t j = 0; j < s["joints"].size(); ++j) {
      Matrix inverse = Matrix::Identity();
      for (int i = 0; i < 16 && !binds.empty(); ++i) inverse(i % 4, i / 4) = binds[j][static_cast<std::size_t>(i)];
      out.push_back(global(s["joints"][j], over) * inverse);
    }
    return out;
  }

  void add_morphs(int node, const Json& mesh, const Json& prim, const Overrides& over,
                  std::vector<Eigen::Vector3d>& p) const {
    if (!prim.contains("targets")) return;
    std::vector<double> zero(prim["targets"].size(), 0.0);
    const auto weights =
        property(node, "weights", over, mesh.contains("weights") ? mesh["weights"].get<std::vector<double>>() : zero);
    for (std::size_t t = 0; t < prim["targets"].size(); ++t) {
      if (weights[t] == 0 || !prim["targets"][t].contains("POSITION")) continue;
      const Rows& offsets = read(prim["targets"][t]["POSITION"]);
      for (std::size_t v = 0; v < p.size(); ++v) p[v] += weights[t] * Eigen::Vector3d(offsets[v].data());
    }
  }
};

}  // namespace isochor::test
