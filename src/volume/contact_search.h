#pragma once

/// Which faces may cross, or stand in each other's way: a search that is quick where none does, as in most frames. It
/// goes by faces, in blocks of eight that are compared at once, and knows from the shape at rest which of them have a
/// common vertex or lie back to back. What it finds is looked at more closely after that; what it leaves out neither
/// crosses nor looks against each other.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "isochor/mesh/face_hierarchy.h"

namespace isochor::volume {

/// Boxes of triangles are grown by this share of their diagonals: skin is known before it is slowed down, and when
/// closing the volume moves it.
inline constexpr double kGrownBoxes = 0.25;

/// What time does not change. Faces are numbered anew, by where they lie: eight after each other make a block.
struct ContactSearch {
  static constexpr std::size_t kBlock = 8;

  /// `settled(pair)`: two triangles are known never to stand in each other's way.
  ContactSearch(const Surface& surface, std::span<const Index> component_of_vertex, const FaceHierarchy& triangles,
                const std::function<bool(const TrianglePair&)>& settled);

  /// Two blocks that are near each other at rest, `second` not the lower one. Bit 8 i + j is for face i of the first
  /// and j of the second.
  struct NearBlock {
    std::uint64_t apart = ~std::uint64_t{0};   ///< they have no common vertex
    std::uint64_t facing = ~std::uint64_t{0};  ///< and are not settled
  };

  std::vector<Index> corner_begin, corners;            ///< #F+1: vertices
  std::vector<Index> triangle_begin, triangles;        ///< #F+1: triangles of the hierarchy
  std::vector<Index> component;                        ///< #F
  std::vector<std::array<Index, 3>> triangle_corners;  ///< as the hierarchy has them
  std::vector<Index> leaf_of;                          ///< by triangle: the hierarchy's leaf that it lies in
  std::vector<Index> leaf_begin, leaf_vertices;        ///< their vertices
  std::vector<std::size_t> lane_begin;                 ///< #blocks+1
  std::vector<std::array<Index, 3>> lane_triangles;    ///< by block: the first ones of eight faces, the second ones …
  std::vector<Index> near_begin;                       ///< #blocks+1
  std::vector<Index> near_second;                      ///< by the first block, sorted
  std::vector<NearBlock> near;                         ///< the same

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
  /// What is known of two blocks, `first` not the higher one.
  NearBlock known(Index first, Index second) const;

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

/// Rounded outwards. The fourth is 0 to 0, or where something moves 0 to how far, or a little more.
struct SearchBounds {
  Eigen::Array4f low, high;
};

/// Kept between frames.
struct SearchBuffers {
  using Lanes = Eigen::Array<float, ContactSearch::kBlock, 1>;
  /// Eight faces, or eight blocks of the level below.
  struct Block {
    std::array<Lanes, 3> low, high;  // of both shapes
    Lanes around;                    // by how much these are grown
    Lanes way;                       // the farthest that a corner goes between them, or a little more
    std::array<Lanes, 3> normal;     // of faces, outward in the pose: those of their triangles
    Lanes normal_spread;             // differ from this by no more than that
    std::uint64_t stirring;          // a bit for each that is asked for: something in its leaf of the hierarchy moves
    std::uint64_t moving;            // and of these for what faces others: it moves itself
  };
  /// Of eight triangles, as ContactSearch::lane_triangles has them: outward in the pose, and by how much each
  /// coordinate may be wrong.
  struct Normals {
    std::array<Lanes, 3> of;
    Lanes around;
  };
  /// Of the faces of a block.
  struct BlockNormals {
    std::array<float, 3> of{};
    float spread = 0;
    bool known = false;
  };
  struct Pair {
    Index f = kNone, g = kNone;
  };

  std::vector<SearchBounds> vertices;
  std::vector<char> vertex_moves;
  std::vector<char> leaf_stirs;
  std::vector<std::vector<Block>> levels;  ///< from faces to a single block
  float unit = 0;                          ///< 1 / the farthest coordinate
  std::vector<Normals> normals;            ///< where they were asked for
  std::vector<BlockNormals> block_normals;
  std::vector<Pair> crossing;  ///< faces that may cross in one of the shapes, and have no common vertex
  std::vector<Pair> facing;    ///< faces whose grown boxes overlap, that may look against each other in the pose
};

/// Fills `crossing` and `facing`.
void search_contacts(const ContactSearch& search, const SearchInput& in, SearchBuffers& buffers);

/// Whether no triangle of one of two faces that look against each other can be in the way of one of the other, which
/// come towards each other by no more than `reach`; after search_contacts().
bool surely_out_of_the_way(const SearchBuffers& buffers, const SearchBuffers::Pair& pair, double reach);

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
