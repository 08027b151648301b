#include "bake/morph_keeper.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <iterator>
#include <set>

#include "bake/frame_ranges.h"
#include "isochor/bake/between_keys.h"
#include "isochor/base/parallel.h"
#include "volume/rest_carrier.h"

namespace isochor {
namespace {

double diagonal(const Box& box) { return box.isEmpty() ? 0 : box.diagonal().norm(); }

}  // namespace

std::vector<double> component_sizes(const WeldedCharacter& welded, std::size_t part) {
  constexpr double kCrumb = 0.01;
  const Topology& topology = welded.topology();
  const auto& positions = welded.surface().positions;
  const double smallest = std::max(kCrumb * diagonal(bounding_box(positions)), 1e-30);
  std::vector<double> by_component;
  for (const Component& component : topology.components) {
    Box box;
    for (const Index v : component.vertices) box.extend(positions[v]);
    by_component.push_back(std::max(diagonal(box), smallest));
  }
  std::vector<double> sizes;
  for (std::size_t v = 0; v < welded.character().parts[part].surface.vertex_count(); ++v) {
    const Index component = topology.component_of_vertex[welded.whole().welded(part, v)];
    sizes.push_back(component == kNone ? smallest : by_component[component]);
  }
  return sizes;
}

MorphKeeper::MorphKeeper(const HeldMotion& motion, const WeldedCharacter& welded, double tolerance, Bases& bases)
    : motion_(motion),
      welded_(welded),
      bases_(bases),
      targets_(weld_targets(bases, welded, tolerance)),
      volume_(welded.surface(), welded.topology(), targets_.all, targets_.reach) {
  std::size_t row = 0;
  for (const HeldClip& clip : motion.clips) {
    first_row_.push_back(row);
    row += clip.frames.size();
  }
}

MorphKeeper::Targets MorphKeeper::weld_targets(const Bases& bases, const WeldedCharacter& welded, double tolerance) {
  // A part of the tolerance, or of what few targets leave.
  constexpr double kReachShare = 0.2;
  Targets out;
  out.reach.assign(welded.surface().vertex_count(), 1.0);
  for (std::size_t p = 0; p < bases.size(); ++p) {
    const std::size_t first = out.all.size();
    out.begin.push_back(static_cast<Eigen::Index>(first));
    if (!bases[p]) continue;
    const std::vector<double> sizes = component_sizes(welded, p);
    const double reach = kReachShare * std::max({tolerance, bases[p]->max_error, 1e-6});
    out.all.resize(first + bases[p]->targets.size());
    for (std::size_t v = 0; v < sizes.size(); ++v) {
      if (!welded.whole().leads(p, v)) continue;
      const Index w = welded.whole().welded(p, v);
      out.reach[w] = reach * sizes[v];
      for (std::size_t t = 0; t < bases[p]->targets.size(); ++t) {
        const Vec3& offset = bases[p]->targets[t].positions[v];
        if (offset == Vec3::Zero()) continue;
        out.all[first + t].vertices.push_back(w);
        out.all[first + t].offsets.push_back(offset);
      }
    }
  }
  return out;
}

/// Of all parts' targets, in some frames one after another.
MorphKeeper::Weights MorphKeeper::weights_of(std::size_t row, std::size_t count) const {
  const auto rows = static_cast<Eigen::Index>(count);
  Weights weights(rows, static_cast<Eigen::Index>(targets_.all.size()));
  for (std::size_t p = 0; p < bases_.size(); ++p) {
    if (!bases_[p]) continue;
    weights.middleCols(targets_.begin[p], bases_[p]->weights.cols()) =
        bases_[p]->weights.middleRows(static_cast<Eigen::Index>(row), rows);
  }
  return weights;
}

void MorphKeeper::add_weights(std::size_t row, const Weights& change) {
  for (std::size_t p = 0; p < bases_.size(); ++p) {
    if (!bases_[p]) continue;
    bases_[p]->weights.middleRows(static_cast<Eigen::Index>(row), change.rows()) +=
        change.middleCols(targets_.begin[p], bases_[p]->weights.cols());
  }
}

namespace {

/// Restoring the volume moves what was mended by a trifle: how often it is looked at again.
constexpr int kFacePasses = 4;

/// Whether anything is shown between a key and the next.
bool is_shown_between(const HeldClip& clip, std::size_t key) {
  return key + 1 < clip.frames.size() && moment_between(clip.frames[key].time, clip.frames[key + 1].time).has_value();
}

}  // namespace

std::vector<MorphKeeper::Moment> MorphKeeper::middles() const {
  std::vector<Moment> out;
  for (std::size_t c = 0; c < motion_.clips.size(); ++c) {
    const HeldClip& clip = motion_.clips[c];
    if (clip.interpolation != Interpolation::linear) continue;
    for (std::size_t k = 0; k < clip.frames.size(); ++k) {
      if (is_shown_between(clip, k)) out.push_back({c, k, false});
    }
  }
  return out;
}

/// The skin is blended again here, once for each moment: to keep the maps since it was played would take 96 bytes for
/// every vertex of every frame.
MorphKeeper::Shown MorphKeeper::unmorphed(const Moment& at) const {
  const Character& character = welded_.character();
  const HeldClip& clip = motion_.clips[at.clip];
  const double time = 0.5 * (clip.frames[at.key].time + clip.frames[at.last()].time);
  const Pose pose = sample(character.clips[clip.clip], character.skeleton, time);
  const Context alone(1);
  Shown out;
  pose_skin(welded_, pose, Deformer::lbs, out.deformed, alone);
  OffsetView view = offset_view(welded_, out.deformed);
  out.frame = {std::move(view.skinned), std::move(view.linear), {}};
  if (motion_.deformer != Deformer::lbs) {
    pose_skin(welded_, pose, {motion_.deformer, motion_.medial.get()}, out.deformed, alone);
  }
  if (at.is_key) {
    const HeldFrame& frame = clip.frames[at.key];
    out.frame.volumes = frame.volumes;
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      if (character.parts[p].skinned()) continue;
      for (std::size_t v = 0; v < character.parts[p].surface.vertex_count(); ++v) {
        if (!welded_.whole().leads(p, v)) continue;
        out.frame.positions[welded_.whole().welded(p, v)] = frame.parts[p].positions[v].cast<double>();
      }
    }
  }
  for (std::size_t k = at.key; k <= at.last(); ++k) {
    const auto patch = patches_.find(first_row_[at.clip] + k);
    if (patch == patches_.end()) continue;
    const double share = at.is_key ? 1 : 0.5;
    for (const auto& [v, offset] : patch->second) out.frame.positions[v] += share * out.frame.linear[v] * offset;
  }
  return out;
}

/// Returns the keys at which a face is turned over then, if a mender is to look.
std::vector<MorphKeeper::Turned> MorphKeeper::keep_volumes(const FaceMender* mender, Context& context) {
  const std::vector<FrameRange> ranges =
      frame_ranges(motion_, chunk_in_memory(welded_.surface().vertex_count() * 2 * sizeof(Mat34)));
  std::vector<std::vector<Turned>> turned(ranges.size());
  parallel_for(context, "targets", ranges.size(), 1, [&](Range chunk) {
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
      const FrameRange& range = ranges[i];
      const auto clip = static_cast<std::size_t>(range.clip - motion_.clips.data());
      std::vector<MorphedFrame> frames;
      std::vector<PosedSkin> deformed;
      for (std::size_t k = range.frames.begin; k < range.frames.end; ++k) {
        context.check_cancelled();
        Shown shown = unmorphed({clip, k, true});
        frames.push_back(std::move(shown.frame));
        if (mender != nullptr) deformed.push_back(std::move(shown.deformed));
      }
      volume_.move(weights_of(range.first, frames.size()), frames);
      add_weights(range.first, volume_.correct(frames));
      for (std::size_t f = 0; f < deformed.size(); ++f) {
        auto faces = mender->turned(deformed[f], frames[f].positions);
        if (!faces.empty()) turned[i].push_back({{clip, range.frames.begin + f, true}, std::move(faces)});
      }
    }
  });
  std::vector<Turned> out;
  for (auto& of_range : turned) std::move(of_range.begin(), of_range.end(), std::back_inserter(out));
  return out;
}

void MorphKeeper::keep(bool faces, Context& context) {
  if (!faces) {
    keep_volumes(nullptr, context);
    return;
  }
  const FaceMender mender(welded_, {motion_.deformer, motion_.medial.get()});
  keep_faces(keep_volumes(&mender, context), mender, context);
}

/// Those at which a face is turned over in what the targets show.
std::vector<MorphKeeper::Turned> MorphKeeper::find_turned(std::span<const Moment> moments, const FaceMender& mender,
                                                          Context& context) const {
  std::vector<std::vector<FaceMender::Face>> faces(moments.size());
  const std::size_t at_once = chunk_in_memory(welded_.surface().vertex_count() * 2 * sizeof(Mat34));
  parallel_for(context, "targets", moments.size(), at_once, [&](Range range) {
    Weights weights(static_cast<Eigen::Index>(range.end - range.begin), static_cast<Eigen::Index>(targets_.all.size()));
    std::vector<MorphedFrame> frames;
    std::vector<PosedSkin> deformed;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      context.check_cancelled();
      const Moment& at = moments[i];
      Shown shown = unmorphed(at);
      frames.push_back(std::move(shown.frame));
      deformed.push_back(std::move(shown.deformed));
      weights.row(static_cast<Eigen::Index>(i - range.begin)) =
          weights_of(row_of(at), at.last() - at.key + 1).colwise().mean();
    }
    volume_.move(weights, frames);
    for (std::size_t i = range.begin; i < range.end; ++i) {
      faces[i] = mender.turned(deformed[i - range.begin], frames[i - range.begin].positions);
    }
  });
  std::vector<Turned> out;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    if (!faces[i].empty()) out.push_back({moments[i], std::move(faces[i])});
  }
  return out;
}

/// Turns faces back by patches; the frames that have changed.
std::vector<MorphKeeper::Moment> MorphKeeper::mend(std::span<const Turned> turned, const FaceMender& mender,
                                                   Context& context) {
  std::set<Moment> changed;
  for (const auto& [at, faces] : turned) {
    context.check_cancelled();
    const HeldClip& clip = motion_.clips[at.clip];
    const std::size_t first = first_row_[at.clip], begin = at.key > 0 ? at.key - 1 : 0;
    const Weights weights = weights_of(first + begin, std::min(at.last() + 2, clip.frames.size()) - begin);
    const auto offset = [&](std::size_t k, Index v) {
      Vec3 out = volume_.offset(weights, static_cast<Eigen::Index>(k - begin), v);
      const auto patch = patches_.find(first + k);
      if (patch == patches_.end()) return out;
      const auto found = patch->second.find(v);
      return found == patch->second.end() ? out : Vec3(out + found->second);
    };
    FaceMender::Keys keys{welded_.character().clips[clip.clip], {}, offset};
    for (const HeldFrame& frame : clip.frames) keys.times.push_back(frame.time);
    for (const FaceMender::Change& change : mender.mend(keys, {at.key, at.last() + 1}, faces)) {
      patches_[first + change.key].try_emplace(change.vertex, Vec3::Zero()).first->second += change.offset;
      changed.insert({at.clip, change.key, true});
    }
  }
  return {changed.begin(), changed.end()};
}

void MorphKeeper::restore_volume(const Moment& at) {
  const std::size_t row = row_of(at);
  std::vector<MorphedFrame> frames{unmorphed(at).frame};
  volume_.move(weights_of(row, 1), frames);
  add_weights(row, volume_.correct(frames));
}

/// `turned`: at keys.
void MorphKeeper::keep_faces(std::vector<Turned> turned, const FaceMender& mender, Context& context) {
  std::vector<Moment> moments = middles();
  for (int pass = 0; pass < kFacePasses; ++pass) {
    for (Turned& found : find_turned(moments, mender, context)) turned.push_back(std::move(found));
    if (turned.empty()) break;
    std::sort(turned.begin(), turned.end(), [](const Turned& a, const Turned& b) { return a.at < b.at; });
    const std::vector<Moment> changed = mend(turned, mender, context);
    parallel_for(context, changed.size(), 1, [&](Range range) {
      for (std::size_t i = range.begin; i < range.end; ++i) restore_volume(changed[i]);
    });
    std::set<Moment> around;
    for (const Moment& at : changed) {
      around.insert(at);
      const HeldClip& clip = motion_.clips[at.clip];
      if (at.key > 0 && is_shown_between(clip, at.key - 1)) around.insert({at.clip, at.key - 1, false});
      if (is_shown_between(clip, at.key)) around.insert({at.clip, at.key, false});
    }
    moments.assign(around.begin(), around.end());
    turned.clear();
  }
  for (std::size_t p = 0; p < bases_.size(); ++p) add_patches(p);
}

/// The vertices of a part that patches move.
std::vector<Index> MorphKeeper::patched_vertices(std::size_t part) const {
  std::set<Index> touched;
  for (const auto& [row, patch] : patches_) {
    for (const auto& [v, offset] : patch) touched.insert(v);
  }
  std::vector<Index> out;
  for (std::size_t v = 0; v < welded_.character().parts[part].surface.vertex_count(); ++v) {
    if (touched.count(welded_.whole().welded(part, v)) != 0) out.push_back(static_cast<Index>(v));
  }
  return out;
}

/// By patched frame, 3 columns for each of these vertices. Copies at seams that follow other bones go where the vertex
/// goes that they were welded into.
Rows MorphKeeper::patch_offsets(std::size_t part, std::span<const Index> vertices) const {
  Rows out = Rows::Zero(static_cast<Eigen::Index>(patches_.size()), 3 * static_cast<Eigen::Index>(vertices.size()));
  Eigen::Index row = 0;
  for (const auto& [frame, patch] : patches_) {
    std::optional<PosedSkin> posed;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const auto v = static_cast<std::size_t>(vertices[i]);
      const Index w = welded_.whole().welded(part, v), stray = welded_.stray(part, v);
      const auto found = patch.find(w);
      if (found == patch.end()) continue;
      Vec3 offset = found->second;
      if (stray != kNone && welded_.strays()[stray].follows_others) {
        if (!posed) posed = skin_of(frame);
        const Vec3 moved = posed->maps[w].leftCols<3>() * offset;
        offset = volume::RestCarrier(posed->strays.maps[stray].leftCols<3>()).carry(moved).offset;
      }
      out.row(row).segment<3>(3 * static_cast<Eigen::Index>(i)) = offset.transpose();
    }
    ++row;
  }
  return out;
}

PosedSkin MorphKeeper::skin_of(std::size_t row) const {
  const auto clip =
      static_cast<std::size_t>(std::upper_bound(first_row_.begin(), first_row_.end(), row) - first_row_.begin()) - 1;
  const HeldClip& held = motion_.clips[clip];
  const double time = held.frames[row - first_row_[clip]].time;
  PosedSkin posed;
  pose_skin(welded_, sample(welded_.character().clips[held.clip], welded_.skeleton(), time), Deformer::lbs, posed,
            Context(1));
  return posed;
}

/// The patches of a part as targets: as many as they have independent motions. (Eight at most in the eleven files where
/// that was counted.)
void MorphKeeper::add_patches(std::size_t part) {
  if (!bases_[part]) return;
  const std::vector<Index> vertices = patched_vertices(part);
  if (vertices.empty()) return;
  constexpr double kNothing = 1e-6;  // of the largest
  // An orthogonal change of basis loses nothing, however it is rounded. (Eigen's BDCSVD lost a third of a patch.)
  const Rows offsets = patch_offsets(part, vertices);
  const Context alone(1);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> motions(inner_products(offsets, offsets, alone));
  const Rows shares = motions.eigenvectors().rowwise().reverse();
  const Rows targets = product(shares.transpose(), offsets, alone);
  const Eigen::VectorXd sizes = targets.rowwise().norm();
  const Eigen::Index rank = (sizes.array() > kNothing * sizes.maxCoeff()).count();

  MorphBasis& basis = *bases_[part];
  basis.weights.conservativeResize(Eigen::NoChange, basis.weights.cols() + rank);
  basis.weights.rightCols(rank).setZero();
  Eigen::Index row = 0;
  for (const auto& [frame, patch] : patches_) {
    basis.weights.row(static_cast<Eigen::Index>(frame)).tail(rank) = shares.row(row++).head(rank);
  }
  for (Eigen::Index t = 0; t < rank; ++t) {
    MorphTarget target;
    target.positions.assign(welded_.character().parts[part].surface.vertex_count(), Vec3::Zero());
    target.normals.assign(welded_.character().parts[part].normals.size(), Vec3::Zero());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      target.positions[vertices[i]] = targets.row(t).segment<3>(3 * static_cast<Eigen::Index>(i));
    }
    basis.targets.push_back(std::move(target));
  }
}

}  // namespace isochor
