#include "isochor/voxel/voxelize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "isochor/base/parallel.h"
#include "voxel/boundary.h"
#include "voxel/doubtful.h"
#include "voxel/orient.h"
#include "voxel/votes.h"

namespace isochor {
namespace {

using namespace voxel;

/// What the votes make of a voxel, from their number as binary digits (lowest first) of 64 voxels at a time.
struct Verdict {
  std::uint64_t inside, doubtful;
};

Verdict judge(WindingUse winding, std::uint64_t d0, std::uint64_t d1, std::uint64_t d2) {
  switch (winding) {
    case WindingUse::off:
      return {d1, 0};  // eq. 6: two or three of three axes
    case WindingUse::single:
      return {d1, d0 & ~d1};
    case WindingUse::disputed:
      return {d2 & (d0 | d1), (d1 & ~d2) | (d2 & ~d1 & ~d0)};  // 5, 6; 2, 3, 4 of six directions
    case WindingUse::all:
      break;
  }
  return {0, ~std::uint64_t{0}};
}

Verdict judge(WindingUse winding, unsigned votes) {
  const auto digit = [&](unsigned i) { return ((votes >> i) & 1) != 0 ? ~std::uint64_t{0} : 0; };
  return judge(winding, digit(0), digit(1), digit(2));
}

Ballot ballot_of(WindingUse winding) {
  return winding == WindingUse::off || winding == WindingUse::single ? Ballot::axes : Ballot::directions;
}

void check_grid(const VoxelGrid& grid) {
  if (grid.resolution < 8 || grid.resolution > 1024 || !std::has_single_bit(static_cast<unsigned>(grid.resolution))) {
    throw_bad_input("the voxel resolution must be a power of two between 8 and 1024, not " +
                    std::to_string(grid.resolution));
  }
  if (!grid.origin.allFinite() || !(grid.voxel > 0) || !std::isfinite(grid.voxel)) {
    throw_bad_input("the voxel grid must have a finite origin and a voxel size above 0");
  }
}

/// One brick on its way to the result.
struct Candidate {
  Brick brick;
  BrickBits doubtful = {};
};

class Voxelizer {
 public:
  Voxelizer(const Surface& surface, const VoxelGrid& grid, const VoxelizeOptions& options, Context& context)
      : winding_(options.winding), context_(context) {
    result_.solid.grid = grid;
    StageTimer timer(context_, "voxelize.lattice");
    surface_ = snap_to_lattice(surface, grid);
    ProblemCollector dropped;
    for (const Index face : surface_.dropped_faces) dropped.add(face);
    dropped.report(result_.problems, Severity::warning, "faces-not-finite",
                   "{} face{|s} {has|have} a vertex that is not finite; {it was|they were} left out");
    result_.evidence.triangles = static_cast<std::int64_t>(surface_.triangles.size());
  }

  Voxelization run() {
    orient_faces();
    find_boundary();
    cast_votes();
    decide_doubtful();
    collect();
    return std::move(result_);
  }

 private:
  void orient_faces() {
    StageTimer timer(context_, "voxelize.orient");
    context_.progress("voxelize", 0.1);
    const Orientation found = orient(surface_, result_.problems);
    result_.evidence.flipped_triangles = found.flipped_triangles;
    result_.evidence.flipped_components = found.flipped_components;
    result_.evidence.cavities = found.cavities;
  }

  void find_boundary() {
    StageTimer timer(context_, "voxelize.boundary");
    context_.progress("voxelize", 0.2);
    BoundaryMarks marks = mark_boundary(surface_, context_);
    boundary_ = std::move(marks.bricks);
    note_bytes(marks.peak_bytes);
  }

  void cast_votes() {
    StageTimer timer(context_, "voxelize.votes");
    context_.progress("voxelize", 0.5);
    const ColumnHits hits = find_hits(surface_, std::array{0, 1, 2}, context_);
    result_.evidence.hits = static_cast<std::int64_t>(hits.size());
    const Ballot ballot = ballot_of(winding_);
    brick_votes_ = vote_on_bricks(hits, surface_, ballot, context_);
    choose_candidates();
    digits_ = vote_on_voxels(hits, surface_, ballot, slot_, context_);
    const auto columns = static_cast<std::size_t>(surface_.grid.resolution) * surface_.grid.resolution / 64;
    // Hits are there twice while they are gathered, and with the votes' digits afterwards.
    note_bytes(boundary_.size() * sizeof(Brick) + 2 * hits.size() * sizeof(Hit));
    note_bytes(hits.size() * sizeof(Hit) + 3 * columns * sizeof(std::uint32_t) + brick_votes_.size() * 5 +
               candidates_.size() * (sizeof(Candidate) + sizeof(VoteDigits)));
    judge_candidates();
  }

  /// Beyond the lattice surface, which stays until the end.
  void note_bytes(std::size_t bytes) {
    const std::size_t lattice =
        surface_.points.capacity() * sizeof(LatticePoint) + surface_.triangles.capacity() * sizeof(LatticeTriangle);
    result_.evidence.peak_bytes = std::max(result_.evidence.peak_bytes, lattice + bytes);
  }

  /// Bricks that cannot be settled as a whole: with boundary, with different votes, or with doubtful ones.
  void choose_candidates() {
    slot_.assign(brick_votes_.size(), kNone);
    auto next = boundary_.begin();
    for (std::size_t code = 0; code < brick_votes_.size(); ++code) {
      const bool has_boundary = next != boundary_.end() && next->code == code;
      const std::uint8_t votes = brick_votes_[code];
      if (!has_boundary && (votes & kMixedVotes) == 0 && judge(winding_, votes).doubtful == 0) continue;
      slot_[code] = static_cast<Index>(candidates_.size());
      candidates_.push_back({has_boundary ? *next : Brick{.code = static_cast<std::uint32_t>(code)}});
      if (has_boundary) ++next;
    }
    boundary_ = {};
    candidates_.shrink_to_fit();
  }

  void judge_candidates() {
    parallel_for(context_, candidates_.size(), 256, [&](Range range) {
      for (std::size_t i = range.begin; i < range.end; ++i) {
        Candidate& candidate = candidates_[i];
        for (std::size_t w = 0; w < 8; ++w) {
          const std::uint64_t off_surface = ~candidate.brick.boundary[w];
          const Verdict verdict = judge(winding_, digits_[i][0][w], digits_[i][1][w], digits_[i][2][w]);
          candidate.brick.interior[w] = verdict.inside & off_surface;
          candidate.doubtful[w] = verdict.doubtful & off_surface;
        }
      }
    });
    for (std::size_t i = 0; i < candidates_.size(); ++i) count_votes(candidates_[i], digits_[i]);
    digits_ = {};
  }

  void count_votes(const Candidate& candidate, const VoteDigits& digits) {
    VoxelizeEvidence& evidence = result_.evidence;
    for (std::size_t w = 0; w < 8; ++w) {
      evidence.doubtful += std::popcount(candidate.doubtful[w]);
      const std::uint64_t off_surface = ~candidate.brick.boundary[w];
      if (((digits[0][w] | digits[1][w] | digits[2][w]) & off_surface) == 0) continue;
      for (unsigned n = 1; n <= 6; ++n) {
        std::uint64_t same = off_surface;
        for (unsigned d = 0; d < 3; ++d) same &= ((n >> d) & 1) != 0 ? digits[d][w] : ~digits[d][w];
        evidence.by_votes[n] += std::popcount(same);
      }
    }
  }

  void decide_doubtful() {
    if (result_.evidence.doubtful == 0) return;
    StageTimer timer(context_, "voxelize.winding");
    context_.progress("voxelize", 0.8);
    const VoxelWinding winding(surface_, context_);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const auto& bits = candidates_[i].doubtful;
      if (std::any_of(bits.begin(), bits.end(), [](std::uint64_t w) { return w != 0; })) open.push_back(i);
    }
    std::vector<std::int64_t> questions(open.size());
    parallel_for(context_, open.size(), 1, [&](Range range) {
      for (std::size_t i = range.begin; i < range.end; ++i) {
        Candidate& candidate = candidates_[open[i]];
        questions[i] = voxel::decide_doubtful(candidate.brick, candidate.doubtful, winding);
      }
    });
    for (const std::int64_t n : questions) result_.evidence.winding_queries += n;
  }

  /// Candidates and bricks settled by the votes, in the order of their codes.
  void collect() {
    VoxelSolid& solid = result_.solid;
    constexpr std::uint64_t kAll = ~std::uint64_t{0};
    const auto every = [](const BrickBits& bits, std::uint64_t value) {
      return std::all_of(bits.begin(), bits.end(), [value](std::uint64_t w) { return w == value; });
    };
    for (std::size_t code = 0; code < brick_votes_.size(); ++code) {
      if (slot_[code] == kNone) {
        const std::uint8_t votes = brick_votes_[code];
        if (votes == 0) continue;
        result_.evidence.by_votes[votes] += 512;
        if (judge(winding_, votes).inside != 0) solid.interior_bricks.push_back(static_cast<std::uint32_t>(code));
        continue;
      }
      const Brick& brick = candidates_[slot_[code]].brick;
      if (every(brick.interior, kAll)) {
        solid.interior_bricks.push_back(brick.code);
      } else if (!every(brick.boundary, 0) || !every(brick.interior, 0)) {
        solid.bricks.push_back(brick);
      }
    }
  }

  WindingUse winding_;
  Context& context_;
  Voxelization result_;
  LatticeSurface surface_;
  std::vector<Brick> boundary_;
  std::vector<std::uint8_t> brick_votes_;  // by code
  std::vector<Index> slot_;                // by code: place in candidates_
  std::vector<Candidate> candidates_;
  std::vector<VoteDigits> digits_;  // of candidates_
};

}  // namespace

Voxelization voxelize(const Surface& surface, const VoxelGrid& grid, const VoxelizeOptions& options, Context& context) {
  check_grid(grid);
  Voxelizer voxelizer(surface, grid, options, context);
  return voxelizer.run();
}

}  // namespace isochor
