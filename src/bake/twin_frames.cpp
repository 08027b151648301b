#include "bake/twin_frames.h"

#include <algorithm>
#include <cmath>

#include "bake/twin_shares.h"

namespace isochor {
namespace {

/// Vertices that are off by so much in the mean, of the character's box, are where they belong.
constexpr double kUnseen = 1e-4;

/// Of the components; 0 if there is none.
double worst(const Eigen::VectorXd& errors) { return errors.size() > 0 ? errors.cwiseAbs().maxCoeff() : 0; }

/// As a file's floats play it.
Vec3 in_file_precision(const Vec3& v) { return v.cast<float>().cast<double>(); }

const Vec3& rest_of(const TwinSample& sample, const PosedSkin& posed) {
  return sample.stray == kNone ? posed.rest[sample.welded] : posed.strays.rest[sample.stray];
}

double sum_of_squares(std::span<const Vec3> vectors) {
  double sum = 0;
  for (const Vec3& v : vectors) sum += v.squaredNorm();
  return sum;
}

}  // namespace

TwinFrames::TwinFrames(const WeldedCharacter& welded, std::span<const Twin> twins, std::span<const SkinWeights> weights,
                       std::span<const double> importance, Deforming alone)
    : welded_(welded), twins_(twins), weights_(weights), importance_(importance), alone_(alone) {
  take_samples();
  for (const Component& component : welded.topology().components) volumes_.emplace_back(welded.surface(), component);
  turned_faces_.emplace(welded_, volumes_);
  PosedSkin posed;
  pose_skin(welded, rest_pose(welded.skeleton()), Deformer::lbs, posed, Context(1));
  file_rest_ = posed.rest;
  file_stray_rest_ = posed.strays.rest;
  system_ = make_system(posed);
}

void TwinFrames::take_samples() {
  const auto& parts = welded_.character().parts;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].skinned()) continue;
    for (std::size_t v = 0; v < parts[p].surface.vertex_count(); ++v) {
      if (!has_own_shares(welded_, p, v)) continue;
      const bool leads = welded_.whole().leads(p, v);
      samples_.push_back({p, v, welded_.whole().welded(p, v), leads ? kNone : welded_.stray(p, v)});
    }
  }
  const auto& component_of = welded_.topology().component_of_vertex;
  const auto components = static_cast<Index>(welded_.topology().components.size());
  const auto place = [&](const TwinSample& s) {
    return s.stray != kNone || component_of[s.welded] == kNone ? components : component_of[s.welded];
  };
  std::stable_sort(samples_.begin(), samples_.end(),
                   [&](const TwinSample& a, const TwinSample& b) { return place(a) < place(b); });
  for (Index c = 0; c <= components; ++c) {
    const auto at =
        std::partition_point(samples_.begin(), samples_.end(), [&](const TwinSample& s) { return place(s) < c; });
    component_begin_.push_back(static_cast<std::size_t>(at - samples_.begin()));
  }
  sample_of_.assign(welded_.surface().vertex_count(), kNone);
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    if (samples_[s].stray == kNone) sample_of_[samples_[s].welded] = static_cast<Index>(s);
  }
}

std::unique_ptr<TwinSystem> TwinFrames::make_system(const PosedSkin& posed) const {
  const auto& parts = welded_.character().parts;
  std::vector<TwinShare> shares;
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    const TwinSample& sample = samples_[s];
    const SkinWeights& weights = weights_[sample.part];
    if (weights.vertex_count() == 0) continue;
    const Skin& skin = parts[sample.part].skin;
    const auto slots = static_cast<Index>(skin.joints.size());
    const Vec3& rest = rest_of(sample, posed);
    for (const Influence& i : weights.row(sample.vertex)) {
      if (i.joint < slots) continue;
      const Twin& twin = twins_[i.joint - slots];
      const auto slot = std::find(skin.joints.begin(), skin.joints.end(), twin.bone) - skin.joints.begin();
      shares.push_back({static_cast<Index>(s), i.joint - slots, i.weight,
                        skin.inverse_bind[static_cast<std::size_t>(slot)] * rest - twin.pivot});
    }
  }
  return std::make_unique<TwinSystem>(std::move(shares), samples_.size(), twins_.size(), importance_);
}

const TwinSystem& TwinFrames::system_of(Worker& worker) const {
  const PosedSkin& posed = worker.posed;
  const bool plain = posed.rest == file_rest_ && posed.strays.rest == file_stray_rest_;
  const bool known =
      worker.turning && (plain ? worker.known_rest.empty()
                               : worker.known_rest == posed.rest && worker.known_stray_rest == posed.strays.rest);
  if (!known) {
    // An author's morph targets move what twins see of the vertices.
    worker.own = plain ? nullptr : make_system(posed);
    worker.known_rest = plain ? std::vector<Vec3>{} : posed.rest;
    worker.known_stray_rest = plain ? std::vector<Vec3>{} : posed.strays.rest;
    const TwinSystem& system = plain ? *system_ : *worker.own;
    worker.turning = std::make_unique<TwinSolver>(system, 9);
    worker.stretching = std::make_unique<TwinSolver>(system, 6);
  }
  return plain ? *system_ : *worker.own;
}

TwinFrames::Task TwinFrames::task(const HeldClip& clip, const HeldFrame& frame, Worker& worker) const {
  const Character& character = welded_.character();
  const Pose pose = sample(character.clips[clip.clip], character.skeleton, frame.time);
  pose_skin(welded_, pose, Deformer::lbs, worker.posed, Context(1));
  const PosedSkin& posed = worker.posed;
  Task task;
  task.system = &system_of(worker);
  for (const Twin& twin : twins_) task.carriers.push_back(posed.global[twin.bone].linear());
  task.skinned = posed.positions;
  PosedSkin other;
  if (alone_.deformer != Deformer::lbs) pose_skin(welded_, pose, alone_, other, Context(1));
  task.alone = alone_.deformer == Deformer::lbs ? posed.positions : other.positions;
  for (std::size_t c = 0; c < volumes_.size(); ++c) task.crushed.push_back(turned_faces_->crushed(posed, c));
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    if (character.parts[p].skinned()) continue;
    for (std::size_t v = 0; v < frame.parts[p].positions.size(); ++v) {
      if (!welded_.whole().leads(p, v)) continue;
      task.skinned[welded_.whole().welded(p, v)] = frame.parts[p].positions[v].cast<double>();
    }
  }
  for (const TwinSample& s : samples_) {
    const Vec3& from = s.stray == kNone ? posed.positions[s.welded] : posed.strays.positions[s.stray];
    task.wanted.push_back(frame.parts[s.part].positions[s.vertex].cast<double>() - from);
  }
  std::vector<Vec3> pulling = task.wanted;
  for (std::size_t s = 0; s < importance_.size(); ++s) pulling[s] *= importance_[s];
  task.pull = task.system->pull(pulling);
  task.correction = sum_of_squares(task.wanted);
  task.volumes = frame.volumes;
  return task;
}

std::vector<Vec3> TwinFrames::displaced(const Task& task, std::span<const Transform> motions) const {
  std::vector<Vec3> out(samples_.size(), Vec3::Zero());
  task.system->push(twin_displacements(task.carriers, motions), out);
  return out;
}

std::vector<Vec3> TwinFrames::shown(const Task& task, std::span<const Vec3> displacements) const {
  std::vector<Vec3> out = task.skinned;
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    if (samples_[s].stray == kNone) out[samples_[s].welded] += displacements[s];
  }
  return out;
}

double TwinFrames::left(const Task& task, std::span<const Vec3> displacements) const {
  double sum = 0;
  for (std::size_t s = 0; s < samples_.size(); ++s) sum += (task.wanted[s] - displacements[s]).squaredNorm();
  return sum;
}

TwinFrame TwinFrames::fit(const HeldClip& clip, const HeldFrame& frame, std::span<const char> active,
                          Worker& worker) const {
  Task task = this->task(clip, frame, worker);
  // Twins that rest are carried by nothing, and nothing moves them.
  for (std::size_t q = 0; q < twins_.size(); ++q) {
    if (!active[q]) task.carriers[q].setZero();
  }
  TwinFrame out;
  out.figures = {
      .correction = task.correction, .left = task.correction, .left_with_shear = task.correction, .frames = 1};
  out.motions.resize(twins_.size());
  out.brought.assign(twins_.size(), 0.0);
  if (task.correction == 0 || twins_.empty()) return out;

  std::vector<Vec3> any(samples_.size(), Vec3::Zero());
  task.system->push(task.system->any_maps(task.pull), any);
  out.figures.left_with_shear = left(task, any);

  const std::vector<Transform> fitted =
      fit_twins(*task.system, task.carriers, task.pull, *worker.turning, *worker.stretching);
  const double off_skinned = worst(volume_errors(task, task.skinned));
  // Never worse than skinning, neither in places, as far as anybody could see it, nor in volume.
  const double unseen = kUnseen * bounding_box(task.skinned).diagonal().norm();
  const double harmless = std::max(task.correction, static_cast<double>(samples_.size()) * unseen * unseen);
  const auto take = [&](std::vector<Transform> motions) {
    for (Transform& motion : motions) motion.scale = in_file_precision(motion.scale);
    const std::vector<Vec3> displacements = displaced(task, motions);
    const double now = left(task, displacements);
    const double off = worst(volume_errors(task, shown(task, displacements)));
    const std::size_t over = turned(task, shown(task, displacements));
    if (!(now <= harmless) || !(off <= std::max(off_skinned, 1e-7))) return false;
    out.turned = over;
    out.motions = std::move(motions);
    out.figures.left = now;
    return true;
  };
  if (!take(closed_with_faces(task, fitted, *worker.stretching)) &&
      !take(closed(task, fitted, *worker.stretching, TwinFaces::free))) {
    out.figures.unclosed = 1;
    if (!take(fitted)) out.figures.resting = 1;
  }
  // Both fits weigh vertices by their importance: by plain squares the one with fewer freedoms may come nearer.
  out.figures.left_with_shear = std::min(out.figures.left_with_shear, out.figures.left);
  const auto maps = twin_displacements(task.carriers, out.motions);
  for (std::size_t q = 0; q < maps.size(); ++q) {
    for (const TwinSystem::Neighbour& other : task.system->neighbours(q)) {
      if (other.twin == static_cast<Index>(q)) out.brought[q] = (maps[q] * other.moment).cwiseProduct(maps[q]).sum();
    }
  }
  return out;
}

TwinDeviation TwinFrames::deviation(const HeldClip& clip, const HeldFrame& frame, std::span<const Transform> motions,
                                    std::span<const Transform> fitted, Worker& worker) const {
  const Task task = this->task(clip, frame, worker);
  const std::vector<Vec3> displacements = displaced(task, motions), meant = displaced(task, fitted);
  TwinDeviation out;
  const std::vector<Vec3> positions = shown(task, displacements);
  out.volume = worst(volume_errors(task, positions));
  out.turned = turned(task, positions);
  for (std::size_t s = 0; s < displacements.size(); ++s) out.places += (displacements[s] - meant[s]).squaredNorm();
  return out;
}

TwinPlayed TwinFrames::play(const HeldClip& clip, const HeldFrame& frame, std::span<const Transform> motions,
                            Worker& worker) const {
  const Task task = this->task(clip, frame, worker);
  const std::vector<Vec3> displacements = displaced(task, motions);
  return {.correction = task.correction,
          .left = left(task, displacements),
          .volume_before = worst(volume_errors(task, task.skinned)),
          .volume_left = worst(volume_errors(task, shown(task, displacements)))};
}

TwinForces TwinFrames::forces(const HeldClip& clip, const HeldFrame& frame, Worker& worker) const {
  Task task = this->task(clip, frame, worker);
  return {std::move(task.carriers), std::move(task.pull)};
}

TwinLesson TwinFrames::lesson(const HeldClip& clip, const HeldFrame& frame, Worker& worker) const {
  Task task = this->task(clip, frame, worker);
  if (task.correction == 0) return {};
  const auto motions = fit_twins(*task.system, task.carriers, task.pull, *worker.turning, *worker.stretching);
  TwinLesson out{twin_displacements(task.carriers, motions), {}, std::move(task.wanted)};
  Box box;
  for (const Vec3& x : task.skinned) box.extend(x);
  out.size = box.isEmpty() ? 0 : box.diagonal().norm();
  out.rest.reserve(samples_.size());
  for (const TwinSample& s : samples_) out.rest.push_back(rest_of(s, worker.posed));
  return out;
}

TwinFrame TwinFrames::glance(const HeldClip& clip, const HeldFrame& frame, Worker& worker) const {
  const Task task = this->task(clip, frame, worker);
  TwinFrame out;
  out.brought.assign(twins_.size(), 0.0);
  const auto maps = task.system->any_maps(task.pull);
  for (std::size_t q = 0; q < maps.size(); ++q) {
    for (const TwinSystem::Neighbour& other : task.system->neighbours(q)) {
      if (other.twin == static_cast<Index>(q)) out.brought[q] = (maps[q] * other.moment).cwiseProduct(maps[q]).sum();
    }
  }
  return out;
}

}  // namespace isochor
