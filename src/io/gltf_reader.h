#pragma once

/// What the steps of read_gltf() share.

#include "gltf_accessor.h"
#include "gltf_impl.h"
#include "isochor/io/gltf_read.h"

namespace isochor::gltf {

/// Bounds the memory of the unfolded character: a file of a kilobyte can refer to the same data a thousand times.
class Budget {
 public:
  explicit Budget(double bytes) : left_(bytes), total_(bytes) {}
  void charge(std::size_t count, std::size_t bytes_each);

 private:
  double left_;
  double total_;
};

struct Reader {
  const Impl& impl;
  const GltfReadOptions& options;
  Budget budget;
  Character character;
  GltfMap map;

  void problem(Severity severity, std::string code, std::string sentence, std::vector<Index> elements = {});
};

/// The part of a mesh node, appended to the character. `skins` are those of the document, in skeleton indices.
void read_part(Reader& reader, Index node, const std::vector<Skin>& skins, const std::vector<Index>& fallback_joints);
/// All animations; parts must have been read, as they say how many morph targets a node has.
void read_clips(Reader& reader);

/// "mesh 3 'Body'"
std::string describe_mesh(const Json& root, Index mesh);

}  // namespace isochor::gltf
