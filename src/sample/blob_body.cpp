#include "sample/blob_body.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/base/math.h"
#include "sample/axes.h"

namespace isochor::model {
namespace {

constexpr double kLargestRate = 0.7;
constexpr double kLongestWalk = 60;
constexpr Index kInfluences = 4;
constexpr double kSmallestWeight = 0.004;

using WeightTable = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // #V x #J

/// One step of averaging over edges: table(v) moves by rate(v) towards the mean of its neighbours.
void diffuse(const Surface& surface, const Eigen::VectorXd& rate, WeightTable& table) {
  WeightTable sum = WeightTable::Zero(table.rows(), table.cols());
  Eigen::VectorXd count = Eigen::VectorXd::Zero(table.rows());
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const auto face = surface.face(f);
    for (std::size_t c = 0; c < face.size(); ++c) {
      const Index next = face[(c + 1) % face.size()];
      sum.row(face[c]) += table.row(next);
      count[face[c]] += 1;
    }
  }
  for (Eigen::Index v = 0; v < table.rows(); ++v) {
    if (count[v] > 0) table.row(v) += rate[v] * (sum.row(v) / count[v] - table.row(v));
  }
}

/// The mean length of the edges at each vertex.
Eigen::VectorXd edge_lengths(const Surface& surface) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(surface.vertex_count()));
  Eigen::VectorXd count = sum;
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const auto face = surface.face(f);
    for (std::size_t c = 0; c < face.size(); ++c) {
      sum[face[c]] += (surface.positions[face[c]] - surface.positions[face[(c + 1) % face.size()]]).norm();
      count[face[c]] += 1;
    }
  }
  return sum.cwiseQuotient(count);
}

/// The weights of a vertex and of its reflection become each other's mirror images, bit for bit.
void symmetrise(const std::vector<Index>& mirror, const RigBuilder& rig, WeightTable& table) {
  const auto joints = static_cast<Index>(table.cols());
  for (std::size_t v = 0; v < mirror.size(); ++v) {
    const auto m = static_cast<std::size_t>(mirror[v]);
    if (m > v) continue;
    for (Index j = 0; j < joints; ++j) {
      const Index other = rig.mirror(j);
      if (m == v && other < j) continue;
      const double mean = (table(v, j) + table(m, other)) / 2;
      table(v, j) = table(m, other) = mean;
    }
  }
}

/// Keeps the largest weights without telling left from right: those that tie with the first one cut go as well.
void limit_evenly(WeightTable& table) {
  std::vector<double> row(static_cast<std::size_t>(table.cols()));
  for (Eigen::Index v = 0; v < table.rows(); ++v) {
    for (Eigen::Index j = 0; j < table.cols(); ++j) row[j] = table(v, j);
    std::sort(row.begin(), row.end(), std::greater<>());
    double cut = row.size() > kInfluences ? std::max(row[kInfluences], kSmallestWeight) : kSmallestWeight;
    if (cut >= row.front()) cut = 0;
    for (Eigen::Index j = 0; j < table.cols(); ++j) {
      if (table(v, j) <= cut) table(v, j) = 0;
    }
  }
}

SkinWeights to_sparse(const WeightTable& table) {
  SkinWeights weights;
  std::vector<Influence> row;
  for (Eigen::Index v = 0; v < table.rows(); ++v) {
    row.clear();
    for (Eigen::Index j = 0; j < table.cols(); ++j) {
      if (table(v, j) > 0) row.push_back({static_cast<Index>(j), table(v, j)});
    }
    // Summing from the largest down gives a vertex and its reflection the same sum.
    std::stable_sort(row.begin(), row.end(),
                     [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
    weights.add_row(row);
  }
  normalise(weights);
  sort_by_weight(weights);
  return weights;
}

}  // namespace

void BlobBody::add_blob(const Blob& blob, const BlobRole& role) {
  shape_.blobs.push_back(blob);
  std::vector<Index> joints;
  for (const std::string& name : role.joints) joints.push_back(rig_.index(name));
  joints_.push_back(std::move(joints));
  roles_.push_back(role);
}

BlobBody::Owner BlobBody::owner(const Vec3& point) const {
  Owner best;
  double best_value = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < shape_.blobs.size(); ++b) {
    Blob one = shape_.blobs[b];
    one.mirrored = false;
    for (const bool reflected : {false, true}) {
      if (reflected && !roles_[b].mirrored) continue;
      const double value = evaluate(one, reflected ? reflect(point) : point).value;
      if (value < best_value) {
        best_value = value;
        best = {b, reflected};
      }
    }
  }
  return best;
}

Index BlobBody::nearest_joint(const Owner& owner, const Vec3& point) const {
  const Vec3 p = owner.reflected ? reflect(point) : point;
  Index best = kNone;
  double best_distance = std::numeric_limits<double>::infinity();
  for (const Index joint : joints_[owner.blob]) {
    const double d = distance_to_segment(p, rig_.position(joint), rig_.end(joint));
    if (d < best_distance) {
      best_distance = d;
      best = joint;
    }
  }
  return owner.reflected ? rig_.mirror(best) : best;
}

/// Each vertex starts with the bone of the solid it lies on; averaging over the surface then spreads every weight by a
/// length that suits the limb. The surface keeps limbs apart that are near each other in space.
SkinWeights BlobBody::weights(const QuadMesh& mesh) const {
  const std::size_t n = mesh.surface.vertex_count();
  WeightTable table = WeightTable::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(rig_.size()));
  WeightTable spread(n, 1);
  for (std::size_t v = 0; v < n; ++v) {
    const Owner own = owner(mesh.surface.positions[v]);
    table(v, nearest_joint(own, mesh.surface.positions[v])) = 1;
    spread(v, 0) = roles_[own.blob].spread;
  }
  for (int round = 0; round < 12; ++round) diffuse(mesh.surface, Eigen::VectorXd::Constant(n, 0.7), spread);
  // A walk of s steps, each taken with probability r to one of four neighbours at distance h, spreads by h √(s r / 2).
  const Eigen::VectorXd length = edge_lengths(mesh.surface);
  const Eigen::VectorXd needed = 2 * spread.col(0).cwiseQuotient(length).array().square().min(kLongestWalk);
  const int steps = std::max(1, static_cast<int>(std::ceil(needed.maxCoeff() / kLargestRate)));
  for (int s = 0; s < steps; ++s) diffuse(mesh.surface, needed / steps, table);
  symmetrise(mesh.mirror, rig_, table);
  limit_evenly(table);
  return to_sparse(table);
}

std::vector<Index> BlobBody::face_materials(const Surface& surface) const {
  std::vector<Index> materials(surface.face_count());
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    Vec3 mean = Vec3::Zero();
    for (const Index v : surface.face(f)) mean += surface.positions[v];
    materials[f] = roles_[owner(mean / static_cast<double>(surface.face(f).size())).blob].material;
  }
  return materials;
}

Part BlobBody::build(const Skeleton& skeleton, const std::string& name, QuadMesh mesh) const {
  Part part;
  part.name = name;
  part.weights = weights(mesh);
  part.face_material = face_materials(mesh.surface);
  part.surface = std::move(mesh.surface);
  part.normals = vertex_normals(part.surface);
  part.skin = bind_skin(skeleton, name);
  return part;
}

Part BlobBody::build(const Skeleton& skeleton, const std::string& name, const CageFit& fit) const {
  Part part = build(skeleton, name, fit.cage.fit(shape_, fit.levels, fit.context));
  const std::vector<Index> painted = fit.cage.materials(fit.levels);
  for (std::size_t f = 0; f < painted.size(); ++f) {
    if (painted[f] != kNone) part.face_material[f] = painted[f];
  }
  return part;
}

}  // namespace isochor::model
