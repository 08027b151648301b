#pragma once

/// What the tests of gltf_edit.h share: documents opened, and what an edit may have changed in them.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gltf_builder.h"
#include "gltf_reference.h"
#include "helpers.h"
#include "isochor/io/gltf_edit.h"

namespace isochor::test {

struct Opened {
  GltfSource source;
  Character character;
};

inline Opened open(const GltfDocument& document) {
  GltfCharacter read = read_gltf(document, {.require_triangles = false});
  return {{document, std::move(read.map)}, std::move(read.character)};
}
inline Opened open(const GltfBuilder& b) { return open(GltfDocument::parse(b.glb())); }

inline Json json_of(const GltfSource& source) { return Json::parse(source.document.json_text()); }
inline GltfReference reference_of(const GltfSource& source) { return GltfReference(source.document.to_glb()); }

/// Where two documents differ, as JSON pointers; appended array elements as the array's pointer with "/+".
inline std::vector<std::string> differences(const Json& a, const Json& b) {
  std::vector<std::string> out;
  for (const Json& step : Json::diff(a, b)) {
    std::string path = step["path"];
    if (step["op"] == "add" && Json::json_pointer(path).parent_pointer() != Json::json_pointer("")) {
      const auto parent = Json::json_pointer(path).parent_pointer();
      if (b[parent].is_array()) path = parent.to_string() + "/+";
    }
    if (out.empty() || out.back() != path) out.push_back(path);
  }
  return out;
}

/// All differences begin with one of these.
inline void expect_only(const Json& before, const GltfSource& after, const std::vector<std::string>& allowed) {
  for (const std::string& path : differences(before, json_of(after))) {
    const bool good =
        std::any_of(allowed.begin(), allowed.end(), [&](const std::string& a) { return path.rfind(a, 0) == 0; });
    EXPECT_TRUE(good) << path;
  }
}

inline const std::vector<std::string> kNewData = {"/accessors/+", "/bufferViews/+", "/buffers/0/byteLength"};

inline std::vector<std::string> and_new_data(std::vector<std::string> allowed) {
  allowed.insert(allowed.end(), kNewData.begin(), kNewData.end());
  return allowed;
}

inline void expect_prefix(const GltfSource& before, const GltfSource& after) {
  const auto old_bytes = before.document.buffer(0), new_bytes = after.document.buffer(0);
  ASSERT_GE(new_bytes.size(), old_bytes.size());
  EXPECT_TRUE(std::equal(old_bytes.begin(), old_bytes.end(), new_bytes.begin()));
}

/// All vertices to one joint.
inline SkinWeights rigid_weights(std::size_t vertices, Index joint) {
  SkinWeights weights;
  for (std::size_t v = 0; v < vertices; ++v) weights.add_row(std::vector<Influence>{{joint, 1.0}});
  return weights;
}

inline MorphTarget offsets(const std::string& name, std::size_t vertices, std::size_t moved, const Vec3& by) {
  MorphTarget target{name, std::vector<Vec3>(vertices, Vec3::Zero()), {}};
  target.positions[moved] = by;
  return target;
}

}  // namespace isochor::test
