#include "isochor/sample/sample.h"

namespace isochor {
namespace {

Character make_jointed_cylinder(const SampleOptions& options, int bones, const Context& context) {
  CylinderOptions own = options.cylinder;
  own.bones = bones;
  return make_cylinder(own, context);
}

}  // namespace

std::vector<SampleInfo> samples() {
  return {{"cylinder", "A cylinder of two bones that bends and twists, as in the papers' first figures."},
          {"cylinder3", "A cylinder of three bones with an S-shaped bend."},
          {"giraffe", "A rubber giraffe of about 1,700 vertices whose neck bends to the side."},
          {"elephant", "An elephant of about 6,900 vertices that walks and sits down."},
          {"knight", "A humanoid of many intersecting shells, with the flaws of meshes that games ship."},
          {"mouth",
           "A head with a tongue in its mouth, as in a figure of the paper of 2009: straight lines choose the wrong "
           "bone."},
          {"shoulder", "A torso whose left arm twists, pitches and yaws at the shoulder, as in the paper of 2002."}};
}

Character make_sample(std::string_view name, const SampleOptions& options, const Context& context) {
  check_ranges(options);
  Character character;
  if (name == "cylinder") {
    character = make_jointed_cylinder(options, 2, context);
  } else if (name == "cylinder3") {
    character = make_jointed_cylinder(options, 3, context);
  } else if (name == "giraffe") {
    character = make_giraffe({options.refinement}, context);
  } else if (name == "elephant") {
    character = make_elephant({options.refinement}, context);
  } else if (name == "knight") {
    character = make_knight({KnightOptions{}.body_vertices << (2 * options.refinement)}, context);
  } else if (name == "mouth") {
    character = make_mouth({MouthOptions{}.vertices << (2 * options.refinement)}, context);
  } else if (name == "shoulder") {
    character = make_shoulder({ShoulderOptions{}.vertices << (2 * options.refinement)}, context);
  } else {
    std::string names;
    for (const SampleInfo& info : samples()) names += (names.empty() ? "" : ", ") + info.name;
    throw_bad_input("there is no sample named \"" + std::string(name) + "\"; there are " + names);
  }
  character.name = name;
  return character;
}

Character make_sample(std::string_view name, const SampleOptions& options) {
  Context context;
  return make_sample(name, options, context);
}

}  // namespace isochor
