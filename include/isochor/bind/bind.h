#pragma once

/// Binds a character: all its parts as one volume, to its own skeleton.
///
///   Character character = load_character("hero.glb", {}, context).character;
///   BindResult result = bind(character, {.falloff …}, context);
///   apply(result, character);
///
/// A program in which falloffs are changed while one looks at the result keeps the distances:
///
///   const CharacterBinding binding(original, {}, context);                  // voxels and distances, once
///   apply(binding.weigh({.falloff = 0.3}, context), shown);                 // as often as wanted: milliseconds

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/bind/distance.h"
#include "isochor/bind/geodesic_heat.h"
#include "isochor/bind/gvb.h"
#include "isochor/bind/heat.h"
#include "isochor/bind/medial_weights.h"
#include "isochor/rig/character.h"

namespace isochor {

/// docs/weights.md says when to use which.
enum class BindMethod {
  automatic,      ///< heat, which knows no falloff; geodesic voxel binding for pieces of the mesh that it does not suit
  gvb,            ///< distances through the inside
  geodesic_heat,  ///< heat started from distances through the inside
  heat,           ///< heat from the bones that are seen
  distance,       ///< distances through anything
  medial,         ///< convolution of the medial, which follows the bones
};
template <>
struct EnumNames<BindMethod> {
  static constexpr std::array names{"auto", "gvb", "geodesic-heat", "heat", "distance", "medial"};
};

/// What becomes of joints that move no vertex in the file's present weights: control and helper bones, roots, slots for
/// weapons. glTF has no other mark for them.
enum class UnusedJoints {
  skip,  ///< they take no weight; not done if fewer than a third of the joints are in use, as the weights are poor
         ///< then
  bind,  ///< they are bound like all others
};
template <>
struct EnumNames<UnusedJoints> {
  static constexpr std::array names{"skip", "bind"};
};

/// Vertices that follow one joint alone.
struct RigidRule {
  std::string glob;   ///< part names, or material names; if neither matches: joints, meaning the vertices that would
                      ///< follow them most
  std::string joint;  ///< a joint's name
};

struct JointFalloff {
  std::string glob;  ///< joint names
  double falloff = 0.1;
};

/// What can change without a new distance.
struct Falloffs {
  double falloff = 0.1;
  std::vector<JointFalloff> joints;  ///< a later one wins
};

struct BindOptions {
  BindMethod method = BindMethod::automatic;
  GvbOptions gvb;
  double falloff = 0.1;
  WeightLimits limits;
  DistanceOptions distance;
  HeatOptions heat;
  GeodesicHeatOptions geodesic_heat;
  MedialWeightOptions medial;
  HandleOptions handles;
  WeldOptions weld;
  UnusedJoints unused = UnusedJoints::skip;
  std::vector<std::string> parts;
  std::vector<RigidRule> rigid;  ///< a later rule wins
  std::vector<JointFalloff> joint_falloff;
  std::vector<std::string> keep;
  bool symmetric = false;

  /// The settings of the paper of 2014 (docs/gvb.md), its limits of weights too.
  static BindOptions paper();
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, BindOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.method, FieldInfo{.name = "method", .help = "how weights are found"});
  visit(options.falloff, FieldInfo{.name = "falloff",
                                   .help = "higher: weights more local, bends harder; 0 is smoothest, 1 almost rigid",
                                   .min = 0,
                                   .max = 1});
  describe(options.gvb, visit);
  describe(options.limits, visit);
  describe(options.distance, visit);
  describe(options.heat, visit);
  describe(options.geodesic_heat, visit);
  describe(options.medial, visit);
  describe(options.handles, visit);
  describe(options.weld, visit);
  visit(options.unused,
        FieldInfo{
            .name = "unused-joints",
            .help = "joints that move nothing in the file's present weights: skip them, or bind them like all others",
            .expert = true});
  visit(options.parts, FieldInfo{.name = "parts",
                                 .help = "only these meshes, by name pattern (otherwise those with a skin; all if "
                                         "none has one)"});
  visit(options.keep, FieldInfo{.name = "keep",
                                .help = "meshes or joints, by name pattern, whose present weights stay; the rest is "
                                        "filled in"});
  visit(options.symmetric,
        FieldInfo{.name = "symmetric", .help = "the same weights on both sides of a symmetric mesh"});
}

/// Whether a method reads an option, by the option's name (describe()); true for options that all of them read.
bool reads_option(BindMethod method, std::string_view option);
/// The method of somebody who gives options and names none: geodesic voxel binding if one of them concerns voxels or
/// falloff alone, which it reads, and otherwise automatic.
BindMethod implied_method(std::span<const std::string> options);

/// What one part gets, ready for replace_weights() of io/gltf_edit.h. Seam duplicates have the same row, also across
/// parts.
struct BoundPart {
  Index part = kNone;
  Skin skin;            ///< joints of the skeleton; inverse_bind for this part's own mesh space
  SkinWeights weights;  // #V of the part
};

/// What the method medial did.
struct MedialReport {
  std::size_t vertices = 0;    ///< of the complex
  std::size_t primitives = 0;  ///< of the complex
  std::size_t beyond = 0;      ///< vertices of the skin that no filter reaches
  std::size_t widened = 0;     ///< vertices of the complex whose filter reaches no bone before it is widened
};

/// Parts that were bound together as one volume.
struct BoundVolume {
  std::vector<Index> parts;
  GvbEvidence gvb;         ///< methods that use voxels
  AppliedBoneRules rules;  ///< which bones were guessed, and how
  std::size_t unseen = 0;  ///< vertices that see no bone; method auto: those of pieces that do not see theirs
  MedialReport medial;     ///< method medial
  Problems problems;       ///< of methods without voxels, and of medial
  std::string symmetry;    ///< a sentence if symmetry was asked for
  bool symmetric = false;  ///< found, and the weights respect it
};

struct BindResult {
  std::vector<BoundPart> parts;      ///< by increasing part
  std::vector<BoundVolume> volumes;  ///< one, except if parts share neither joints nor a common rest pose
  std::size_t vertices = 0;          ///< of all bound parts, as in the file
  std::size_t bound = 0;             ///< those with a valid row: all
  std::size_t joints = 0;            ///< that could take weight
  Index resolution = 0;              ///< the largest of the volumes
  std::string resolution_reason;     ///< of the first volume with that resolution
  std::size_t uniform_voxels = 0;
  std::size_t sparse_voxels = 0;
  /// Everything, volumes' included. Vertices are counted over all parts of the character, bound or not.
  Problems problems;
};

/// Positions are those of the bind pose if there is a skin (inverse bind matrices), of the rest pose otherwise.
/// Parts without a skin are placed by their node at rest. Bound are all skinned parts; all parts if none has a skin.
/// Throws Error(bad_input) with a sentence: no part, no vertex, no joint, a name in a rule that matches nothing, a
/// number that is not finite.
BindResult bind(const Character& character, const BindOptions& options, Context& context);

/// The same in two steps, the second of them quick.
class CharacterBinding {
 public:
  /// `character` must outlive it and keep its vertices, joints and weights: what weigh() finds is given to a copy.
  /// Throws as bind() does.
  CharacterBinding(const Character& character, const BindOptions& options, Context& context);
  CharacterBinding(CharacterBinding&&) noexcept;
  CharacterBinding& operator=(CharacterBinding&&) noexcept;
  ~CharacterBinding();

  /// What bind() gives for these falloffs, whatever those of the options were; of heat and distance they change
  /// nothing. Throws Error(bad_input) if one is out of range or is that of a joint which does not exist.
  BindResult weigh(const Falloffs& falloffs, Context& context) const;

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

/// Gives the character the new skins and weights.
void apply(const BindResult& result, Character& character);

}  // namespace isochor
