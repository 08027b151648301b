/// Corrects every clip of the characters named on the command line (files or samples) with default settings, and prints
/// one line per clip: does the skin look right without anyone looking?
///
///   volume_quality [--deformer lbs|dqs|medial] [--treatment together|sequence] [--faces keep|free]
///                  [--contact off|count|hold|resolve] [--fps N] [--clip NAME] [--scars [--every-frame]] [--buried]
///                  [--worst PREFIX]
///                  FILE|SAMPLE...
///
/// --scars prints nothing but what the correction leaves on the skin: the most faces of a frame that are turned over,
/// the largest turn of a face and the sharpest new crease, and the share of pixels that show a back face in the frame
/// with the largest turn and in that with the sharpest crease, from eight sides, by skinning alone and corrected; with
/// --every-frame in the frame of the clip in which it grows most.
/// --buried also prints how much skin lies inside other skin or shows its back.

#include "volume/quality.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "isochor/bind/prepare_medial.h"
#include "isochor/io/load.h"
#include "isochor/io/obj.h"
#include "isochor/sample/sample.h"
#include "isochor/volume/corrected_playback.h"
#include "isochor/voxel/winding.h"
#include "volume/scars.h"

namespace {

using namespace isochor;

struct Arguments {
  Deformer deformer = Deformer::lbs;
  VolumeOptions options;
  double fps = 30;
  std::string clip, worst;
  double detail = -1;  // a time
  bool buried = false, scars = false, every_frame = false;
  std::vector<std::string> characters;
};

/// Shares of the skin by area.
struct Contact {
  double buried = 0;    // lies inside other skin
  double inverted = 0;  // shows its back
};

struct Measures {
  double error_before = 0, error_after = 0;  // of any component
  double displacement = 0;                   // in local radii
  Index displacement_vertex = kNone;
  double displacement_time = 0;
  double beyond = 0;  // the largest displacement less what the deformer has taken of the radius there
  Index beyond_vertex = kNone;
  double beyond_time = 0;
  Contact before, after;       // means over frames
  double inverted_growth = 0;  // of one frame
  double inverted_time = 0;
  double bumps = 0;  // normals' variation over LBS's
  double bumps_mean = 0;
  double bumps_time = 0;
  double local_before = 0, local_after = 0;  // means over joints and frames
  double rms_before = 0, rms_after = 0;
  double worse = 0;  // the largest growth of a joint's error
  Index worse_joint = kNone;
  double worse_time = 0;
  double fine_time = 0;
  Index fine_vertex = kNone;
  double coarse = 0, fine = 0;  // the largest change of the displacements between frames, at both rates
  int inexact = 0;
  double steepness = 0;  // mean over frames of the rms slope of the displacement over edges
};

/// The worst of a clip.
struct ScarMeasures {
  bench::Scars worst;
  double turn_time = 0, crease_time = 0;
  double back_before = 0, back_after = 0;  // where it grows most
  double back_time = 0;
  std::size_t frames_turned = 0, held = 0;
  double error_after = 0;
};

class Quality {
 public:
  Quality(const Character& character, const Arguments& arguments)
      : arguments_(arguments),
        character_(character),
        welded_(character),
        player_(welded_,
                {.deformer = arguments.deformer,
                 .medial = medial(arguments.deformer),
                 .volume = VolumeSettings{.options = arguments.options}},
                context_),
        radii_(test::local_radii(welded_)),
        normals_(vertex_normals(welded_.surface())) {}

  Measures clip(const Clip& clip) {
    Measures m;
    const int n = std::max(2, static_cast<int>(std::lround(arguments_.fps * clip.duration())));
    std::vector<Vec3> last;
    const int dense = 4 * n;
    correct(sample(clip, character_.skeleton, clip.start()));
    const double size = bounding_box(posed_.positions).diagonal().norm();
    std::vector<Vec3> last_coarse;
    for (int i = 0; i <= dense; ++i) {
      const double time = clip.start() + clip.duration() * i / dense;
      correct(sample(clip, character_.skeleton, time));
      if (i % 4 == 0) {
        measure(time, m);
        if (!last_coarse.empty()) m.coarse = std::max(m.coarse, largest_change(last_coarse) / size);
        last_coarse = moves();
      }
      if (!last.empty() && largest_change(last) / size > m.fine) {
        m.fine = largest_change(last) / size;
        m.fine_time = time;
        m.fine_vertex = changed_;
      }
      last = moves();
    }
    const auto frames = static_cast<double>(n + 1);
    m.bumps_mean /= frames;
    m.local_before /= frames;
    m.local_after /= frames;
    m.steepness /= frames;
    for (double* share : {&m.before.buried, &m.before.inverted, &m.after.buried, &m.after.inverted}) *share /= frames;
    m.rms_before = std::sqrt(m.rms_before / frames);
    m.rms_after = std::sqrt(m.rms_after / frames);
    return m;
  }

  ScarMeasures scars(const Clip& clip) {
    ScarMeasures m;
    const int n = std::max(2, static_cast<int>(std::lround(arguments_.fps * clip.duration())));
    std::vector<double> times;
    for (int i = 0; i <= n; ++i) {
      const double time = clip.start() + clip.duration() * i / n;
      correct(sample(clip, character_.skeleton, time));
      const bench::Scars scars = bench::find_scars(welded_, posed_.positions, frame_.positions);
      m.worst.turned = std::max(m.worst.turned, scars.turned);
      m.frames_turned += scars.turned > 0 ? 1 : 0;
      m.held = std::max(m.held, frame_.held_vertices);
      for (const ComponentVolume& volume : frame_.components) {
        if (volume.has_volume) m.error_after = std::max(m.error_after, volume.error_after());
      }
      if (scars.turn > m.worst.turn) {
        m.worst.turn = scars.turn;
        m.turn_time = time;
      }
      if (scars.crease > m.worst.crease) {
        m.worst.crease = scars.crease;
        m.crease_time = time;
      }
      times.push_back(time);
    }
    if (!arguments_.every_frame) times = {m.turn_time, m.crease_time};
    for (const double time : times) {
      correct(sample(clip, character_.skeleton, time));
      const double before = bench::back_pixels(welded_, posed_.positions);
      const double after = bench::back_pixels(welded_, frame_.positions);
      if (time != times.front() && after - before <= m.back_after - m.back_before) continue;
      m.back_before = before;
      m.back_after = after;
      m.back_time = time;
    }
    return m;
  }

  void write(const Clip& clip, double time, const std::string& path) {
    correct(sample(clip, character_.skeleton, time));
    for (const char* which : {"lbs", "ours"}) {
      Character still;
      Part part;
      part.surface = welded_.surface();
      part.surface.positions = std::string(which) == "lbs" ? posed_.positions : frame_.positions;
      still.parts.push_back(part);
      Context context;
      save_character(still, path + "-" + which + ".obj", context);
    }
  }

  void detail(const Clip& clip, double time) {
    correct(sample(clip, character_.skeleton, time));
    for (std::size_t c = 0; c < frame_.components.size(); ++c) {
      const ComponentVolume& v = frame_.components[c];
      if (!v.has_volume) continue;
      std::printf("  component %zu: rest %g target %g before %g after %g (%.2e) %s\n", c, welded_.rest_volumes()[c],
                  v.target, v.before, v.after, v.error_after(), enum_name(v.outcome).c_str());
    }
    for (std::size_t j = 0; j < frame_.joints.size(); ++j) {
      const auto& region = player_.regions()[j];
      double largest = 0;
      for (std::size_t i = 0; i < region.vertices.size(); ++i) {
        const Index v = region.vertices[i];
        if (region.gamma[i] > 0.5) largest = std::max(largest, (frame_.positions[v] - posed_.positions[v]).norm());
      }
      std::printf("  %-28s component %d  %5zu vertices  rest %10.4g  error %8.4f -> %8.4f  moved %g\n",
                  joint_name(static_cast<Index>(j)).c_str(), region.component, region.vertices.size(),
                  region.rest_volume, frame_.joints[j].error_before, frame_.joints[j].error_after, largest);
    }
  }

  const std::string& joint_name(Index region) const {
    return character_.skeleton.joints[player_.regions()[region].joint].name;
  }

 private:
  const Arguments& arguments_;
  const Character& character_;
  Context context_;
  WeldedCharacter welded_;
  CorrectedPlayback player_;
  std::vector<double> radii_;
  std::vector<Vec3> normals_;
  PosedSkin posed_;
  CorrectedFrame frame_;
  Index changed_ = kNone;

  std::shared_ptr<const MedialRig> medial(Deformer deformer) {
    if (deformer != Deformer::medial) return nullptr;
    return std::make_shared<MedialRig>(prepare_medial(welded_, {}, context_).rig);
  }

  void correct(const Pose& pose) {
    CorrectedPlayback::Frame played = player_.look(pose, 0, context_);
    posed_ = std::move(played.posed);
    frame_ = std::move(played.corrected);
  }

  double largest_change(const std::vector<Vec3>& before) {
    double largest = 0;
    for (std::size_t v = 0; v < before.size(); ++v) {
      const double change = (frame_.positions[v] - posed_.positions[v] - before[v]).norm();
      if (change <= largest) continue;
      largest = change;
      changed_ = static_cast<Index>(v);
    }
    return largest;
  }

  std::vector<Vec3> moves() const {
    std::vector<Vec3> result(posed_.positions.size());
    for (std::size_t v = 0; v < result.size(); ++v) result[v] = frame_.positions[v] - posed_.positions[v];
    return result;
  }

  /// Just outside of skin that lies in other skin of its component the winding number is above 0; of skin that shows
  /// its back, below.
  Contact contact(const std::vector<Vec3>& positions) const {
    double all = 0;
    Contact share;
    for (std::size_t c = 0; c < welded_.topology().components.size(); ++c) {
      if (!welded_.has_volume(c)) continue;
      std::vector<TriangleCorners> triangles;
      const VolumeFunctional whole(welded_.surface(), welded_.topology().components[c]);
      for (std::size_t r = 0; r < whole.ring_count(); ++r) {
        const auto ring = whole.ring(r);
        for (std::size_t i = 1; i + 1 < ring.size(); ++i) {
          triangles.push_back({positions[ring[0]], positions[ring[i]], positions[ring[i + 1]]});
        }
      }
      const double side = welded_.rest_volumes()[c] < 0 ? -1 : 1;
      const WindingTree tree(triangles);
      for (const TriangleCorners& t : triangles) {
        const Vec3 normal = 0.5 * (t[1] - t[0]).cross(t[2] - t[0]);
        const double area = normal.norm();
        if (!(area > 0)) continue;
        const Vec3 outside = (t[0] + t[1] + t[2]) / 3 + side * 1e-3 / std::sqrt(area) * normal;
        all += area;
        const double winding = side * tree.estimate(outside, 0.02).value;
        if (winding > 0.5) share.buried += area;
        if (winding < -0.5) share.inverted += area;
      }
    }
    if (!(all > 0)) return {};
    return {.buried = share.buried / all, .inverted = share.inverted / all};
  }

  void measure(double time, Measures& m) {
    for (std::size_t c = 0; c < frame_.components.size(); ++c) {
      const ComponentVolume& volume = frame_.components[c];
      if (!volume.has_volume) continue;
      m.error_before = std::max(m.error_before, volume.error_before());
      m.error_after = std::max(m.error_after, volume.error_after());
      if (!(volume.error_after() <= 1e-9)) ++m.inexact;
    }
    const double bumps = test::normal_variation(welded_, frame_.positions) /
                         std::max(1e-12, test::normal_variation(welded_, posed_.positions));
    m.bumps_mean += bumps;
    if (bumps > m.bumps) {
      m.bumps = bumps;
      m.bumps_time = time;
    }
    double before = 0, after = 0, squares_before = 0, squares_after = 0;
    for (std::size_t j = 0; j < frame_.joints.size(); ++j) {
      const JointVolume& volume = frame_.joints[j];
      before += volume.error_before;
      after += volume.error_after;
      squares_before += volume.error_before * volume.error_before;
      squares_after += volume.error_after * volume.error_after;
      if (volume.error_after - volume.error_before > m.worse) {
        m.worse = volume.error_after - volume.error_before;
        m.worse_joint = static_cast<Index>(j);
        m.worse_time = time;
      }
    }
    if (!frame_.joints.empty()) {
      const auto n = static_cast<double>(frame_.joints.size());
      m.local_before += before / n;
      m.local_after += after / n;
      m.rms_before += squares_before / n;
      m.rms_after += squares_after / n;
    }
    double slopes = 0;
    const auto& edges = welded_.topology().edges;
    for (const Edge& e : edges) {
      const double length = (welded_.surface().positions[e.a] - welded_.surface().positions[e.b]).norm();
      if (radii_[e.a] <= 0 || !(length > 0)) continue;
      const Index c = welded_.topology().component_of_vertex[e.a];
      const double scale = std::cbrt(std::abs(posed_.target_volumes[c] / welded_.rest_volumes()[c]));
      const Vec3 change = frame_.positions[e.a] - posed_.positions[e.a] - frame_.positions[e.b] + posed_.positions[e.b];
      slopes += (change / (scale * length)).squaredNorm();
    }
    m.steepness += std::sqrt(slopes / static_cast<double>(edges.size()));
    if (arguments_.buried) {
      const Contact lbs = contact(posed_.positions), ours = contact(frame_.positions);
      m.before.buried += lbs.buried;
      m.before.inverted += lbs.inverted;
      m.after.buried += ours.buried;
      m.after.inverted += ours.inverted;
      if (ours.inverted - lbs.inverted > m.inverted_growth) {
        m.inverted_growth = ours.inverted - lbs.inverted;
        m.inverted_time = time;
      }
    }
    for (std::size_t v = 0; v < radii_.size(); ++v) {
      if (radii_[v] <= 0) continue;
      const Index c = welded_.topology().component_of_vertex[v];
      const double scale = std::cbrt(std::abs(posed_.target_volumes[c] / welded_.rest_volumes()[c]));
      const double moved = (frame_.positions[v] - posed_.positions[v]).norm() / (scale * radii_[v]);
      const Vec3 fibre = posed_.maps[v].leftCols<3>() * normals_[v];
      const double lost = std::max(0.0, 1 - fibre.norm() / scale);
      if (moved - lost > m.beyond) {
        m.beyond = moved - lost;
        m.beyond_vertex = static_cast<Index>(v);
        m.beyond_time = time;
      }
      if (moved > m.displacement) {
        m.displacement = moved;
        m.displacement_vertex = static_cast<Index>(v);
        m.displacement_time = time;
      }
    }
  }
};

Character load(const std::string& name) {
  for (const SampleInfo& info : samples()) {
    if (info.name == name) return make_sample(name);
  }
  Context context;
  Character character = load_character(name, {}, context).character;
  character.name = std::filesystem::path(name).stem().string();
  return character;
}

void run(const std::string& name, const Arguments& arguments) {
  const Character character = load(name);
  if (character.clips.empty()) {
    std::printf("%-24s has no clip\n", name.c_str());
    return;
  }
  Quality quality(character, arguments);
  for (const Clip& clip : character.clips) {
    if (!arguments.clip.empty() && clip.name != arguments.clip) continue;
    if (!(clip.duration() > 0)) continue;
    if (arguments.detail >= 0) {
      quality.detail(clip, arguments.detail);
      continue;
    }
    const std::string shown = character.name.empty() ? name : character.name;
    if (arguments.scars) {
      const ScarMeasures m = quality.scars(clip);
      std::printf(
          "%-18.18s %-24.24s turned %zu (in %zu frames)  turn %.1f° t%.3f  crease %.1f° t%.3f  "
          "back faces %.5f -> %.5f t%.3f  held %zu  vol %.1e\n",
          shown.c_str(), clip.name.c_str(), m.worst.turned, m.frames_turned, m.worst.turn, m.turn_time, m.worst.crease,
          m.crease_time, m.back_before, m.back_after, m.back_time, m.held, m.error_after);
      std::fflush(stdout);
      if (!arguments.worst.empty()) {
        const std::string stem = arguments.worst + character.name + "-" + clip.name;
        quality.write(clip, m.turn_time, stem + "-turn");
        quality.write(clip, m.crease_time, stem + "-crease");
        quality.write(clip, m.back_time, stem + "-back");
      }
      continue;
    }
    const Measures m = quality.clip(clip);
    std::printf(
        "%-18.18s %-16.16s vol %7.4f -> %7.1e%s  spike %.3f r (v%d t%.2f) beyond loss %.3f (v%d t%.2f)  bumps %.3f "
        "(mean %.3f t%.2f)  local mean "
        "%.4f -> %.4f rms %.4f -> %.4f  worst +%.4f %s t%.2f  pop %.5f / %.5f = %.2f (v%d t%.3f)  steep %.4f",
        shown.c_str(), clip.name.c_str(), m.error_before, m.error_after, m.inexact > 0 ? "!" : " ", m.displacement,
        m.displacement_vertex, m.displacement_time, m.beyond, m.beyond_vertex, m.beyond_time, m.bumps, m.bumps_mean,
        m.bumps_time, m.local_before, m.local_after, m.rms_before, m.rms_after, m.worse,
        m.worse_joint == kNone ? "-" : quality.joint_name(m.worse_joint).c_str(), m.worse_time, m.coarse, m.fine,
        m.fine > 0 ? m.coarse / m.fine : 0, m.fine_vertex, m.fine_time, m.steepness);
    if (arguments.buried) {
      std::printf("  buried %.4f -> %.4f  inverted %.6f -> %.6f worst +%.6f t%.2f", m.before.buried, m.after.buried,
                  m.before.inverted, m.after.inverted, m.inverted_growth, m.inverted_time);
    }
    std::printf("\n");
    std::fflush(stdout);
    if (!arguments.worst.empty()) {
      const std::string stem = arguments.worst + character.name + "-" + clip.name;
      quality.write(clip, m.displacement_time, stem + "-spike");
      if (arguments.buried) quality.write(clip, m.inverted_time, stem + "-inverted");
      quality.write(clip, m.bumps_time, stem + "-bumps");
      quality.write(clip, m.worse_time, stem + "-worse");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (a == "--deformer") {
      arguments.deformer = parse_enum<Deformer>(next()).value();
    } else if (a == "--treatment") {
      arguments.options.treatment = next() == "sequence" ? JointTreatment::sequence : JointTreatment::together;
    } else if (a == "--faces") {
      arguments.options.faces = next() == "free" ? FaceTreatment::free : FaceTreatment::keep;
    } else if (a == "--solver") {
      const std::string solver = next();
      if (solver == "three-step") arguments.options.solve.solver = VolumeSolver::three_step;
      if (solver == "linear") arguments.options.solve.solver = VolumeSolver::linear;
    } else if (a == "--stiffness") {
      arguments.options.stiffness = std::atof(next().c_str());
    } else if (a == "--smoothness") {
      arguments.options.smoothness = std::atof(next().c_str());
    } else if (a == "--reach") {
      arguments.options.reach = std::atof(next().c_str());
    } else if (a == "--fps") {
      arguments.fps = std::atof(next().c_str());
    } else if (a == "--detail") {
      arguments.detail = std::atof(next().c_str());
    } else if (a == "--clip") {
      arguments.clip = next();
    } else if (a == "--scars") {
      arguments.scars = true;
    } else if (a == "--every-frame") {
      arguments.every_frame = true;
    } else if (a == "--contact") {
      arguments.options.contact = parse_enum<ContactTreatment>(next()).value();
    } else if (a == "--buried") {
      arguments.buried = true;
    } else if (a == "--worst") {
      arguments.worst = next();
    } else {
      arguments.characters.push_back(a);
    }
  }
  if (arguments.characters.empty()) {
    for (const SampleInfo& info : samples()) arguments.characters.push_back(info.name);
  }
  for (const std::string& name : arguments.characters) {
    try {
      run(name, arguments);
    } catch (const std::exception& e) {
      std::printf("%-24s %s\n", name.c_str(), e.what());
    }
  }
  return 0;
}
