#pragma once

/// Which faces may cross, or stand in each other's way: a search that is quick where none does, as in most frames. It
/// goes by faces, in blocks of eight that are compared at once, and knows from the shape at rest which of them have a
/// common vertex, lie back to back or are left alone. What it finds is looked at more closely after that; what it
/// leaves out neither crosses nor looks against each other.

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "isochor/mesh/face_hierarchy.h"
#include "volume/contact_kernels.h"

namespace isochor::volume {

/// Boxes of triangles are grown by this share of their diagonals: skin is known before it is slowed down, and when
/// closing the volume moves it.
inline constexpr double kGrownBoxes = 0.25;

/// What time does not change. Faces are numbered anew, by where they lie: eight after each other make a block.
struct ContactSearch {
  static constexpr std::size_t kBlock = contact_kernels::kBlock;

  /// What is known of two triangles: they are not looked at, or they are two sides of one thin piece, which are not in
  /// each other's way.
  struct KnownAtRest {
    std::function<bool(const TrianglePair&)> left_alone, back_to_back;
  };
  ContactSearch(const Surface& surface, std::span<const Index> component_of_vertex, const FaceHierarchy& triangles,
                const KnownAtRest& known_at_rest);

  /// Two blocks that are near each other at rest, `second` not the lower one. Bit 8 i + j is for face i of the first
  /// and j of the second.
  struct NearBlock {
    std::uint64_t crossing = ~std::uint64_t{0};  ///< they have no common vertex, and are not left alone
    std::uint64_t facing = ~std::uint64_t{0};    ///< nor back to back
  };

  std::vector<Index> corner_begin, corners;            ///< #F+1: vertices
  std::vector<Index> triangle_begin, triangles;        ///< #F+1: triangles of the hierarchy
  std::vector<Index> component;                        ///< #F
  std::vector<std::array<Index, 3>> triangle_corners;  ///< as the hierarchy has them
  std::vector<Index> leaf_of;                          ///< by triangle: the hierarchy's leaf that it lies in
  std::vector<Index> leaf_begin, leaf_vertices;        ///< their vertices
  std::vector<std::size_t> lane_begin;                 ///< #blocks+1
  std::vector<std::array<Index, 3>> lane_triangles;    ///< by block: the first ones of eight faces, the second ones …
  std::vector<std::size_t> lane_corner_begin;          ///< #blocks+1
  std::vector<Index> lane_corners;                     ///< the same of corners
  /// Of two blocks of blocks, those that are near each other: bit 8 i + j for the ith of `first` and the jth of
  /// `second`, and where in `near` the first of them is.
  struct NearGroup {
    std::pair<Index, Index> blocks;  ///< first, second
    std::uint64_t bits = 0;
    std::size_t begin = 0;
  };
  std::vector<NearGroup> near_groups;  ///< sorted
  std::vector<NearBlock> near;         ///< in their order

  std::size_t face_count() const { return component.size(); }
  std::size_t block_count() const { return (face_count() + kBlock - 1) / kBlock; }
  std::span<const Index> corners_of(Index f) const {
    return {corners.data() + corner_begin[f], corners.data() + corner_begin[f + 1]};
  }
  std::span<const Index> triangles_of(Index f) const {
    return {triangles.data() + triangle_begin[f], triangles.data() + triangle_begin[f + 1]};
  }
  /// Corners of the triangles of a block's faces, eight by eight; a face that has fewer than others has its last again.
  std::span<const std::array<Index, 3>> lane_triangles_of(std::size_t block) const {
    return {lane_triangles.data() + lane_begin[block], lane_triangles.data() + lane_begin[block + 1]};
  }
  /// Corners of a block's faces, in the same way.
  std::span<const Index> lane_corners_of(std::size_t block) const {
    return {lane_corners.data() + lane_corner_begin[block], lane_corners.data() + lane_corner_begin[block + 1]};
  }
  /// What is known of the pairs of two blocks of blocks, `first` not the higher one.
  NearGroup known(Index first, Index second) const;

 private:
  void find_lanes();
};

struct SearchInput {
  std::span<const Vec3> posed, corrected;  ///< #V
  /// By component: 1, or -1 where its faces show their backs, or 0 where it has no inside. Empty: nothing faces.
  std::span<const double> side;
  /// All pairs, or those of which one lies in a leaf of the hierarchy where something moves.
  FaceHierarchy::Which which = FaceHierarchy::Which::moving;
  /// Of those that face each other all the same, or those of which one moves itself.
  FaceHierarchy::Which facing = FaceHierarchy::Which::all;
};

/// Kept between frames.
struct SearchBuffers {
  using Block = contact_kernels::Block;
  struct Pair {
    Index f = kNone, g = kNone;
  };
  /// Bit 8 i + j is for face i of the first block and j of the second.
  struct BlockPairs {
    Index first = kNone, second = kNone;
    std::uint64_t bits = 0;
  };

  const contact_kernels::Kernels* kernels = &contact_kernels::best();
  std::vector<contact_kernels::Bounds> vertices;
  std::vector<char> vertex_moves;
  std::vector<char> leaf_stirs;
  /// From faces to a single block, each filled up to whole blocks of the next. A face stirs that is asked for:
  /// something in its leaf of the hierarchy moves. Of these it moves, for what faces others, if it does so itself.
  std::vector<std::vector<Block>> levels;
  std::size_t block_count = 0;
  float rounding = 0, unit = 0;                    ///< of coordinates; 1 / the farthest of them
  std::vector<contact_kernels::Normals> normals;   ///< as ContactSearch::lane_triangles, where they were asked for
  std::vector<contact_kernels::Corners> corners;   ///< as ContactSearch::lane_corners, the same
  std::vector<char> normals_known, corners_known;  ///< by block
  std::vector<Pair> crossing;      ///< faces that may cross in one of the shapes, and have no common vertex
  std::vector<BlockPairs> facing;  ///< faces whose grown boxes overlap, that may look against each other in the pose
};

/// Calls visit(f, g) for pairs of faces.
template <class Visit>
void for_pairs(const SearchBuffers::BlockPairs& pairs, const Visit& visit) {
  constexpr auto kBlock = static_cast<Index>(ContactSearch::kBlock);
  for (std::uint64_t bits = pairs.bits; bits != 0; bits &= bits - 1) {
    const int bit = std::countr_zero(bits);
    visit(kBlock * pairs.first + bit / kBlock, kBlock * pairs.second + bit % kBlock);
  }
}

/// Fills `crossing` and `facing`.
void search_contacts(const ContactSearch& search, const SearchInput& in, SearchBuffers& buffers);

/// Of pairs of faces that look against each other, those of which a triangle of the one may be in the way of one of the
/// other, if both go `reach` times as far as they do; after search_contacts().
SearchBuffers::BlockPairs may_be_in_the_way(const SearchBuffers& buffers, const SearchBuffers::BlockPairs& pairs,
                                            double reach);

/// A triangle of a face: which of its triangles_of().
struct FaceTriangle {
  Index face = kNone;
  std::size_t number = 0;
};
/// Whether two triangles surely do not look against each other in the pose; after search_contacts() with sides.
bool surely_not_opposed(const ContactSearch& search, const SearchBuffers& buffers, const FaceTriangle& one,
                        const FaceTriangle& other);

/// How far the corners of a face are moved at most, or a little more; after search_contacts().
double farthest_way(const SearchBuffers& buffers, Index f);

/// Whether the boxes of two triangles overlap in one of the shapes, or nearly; after search_contacts().
bool boxes_meet(const ContactSearch& search, const SearchBuffers& buffers, Index s, Index t);

}  // namespace isochor::volume
