#include "isochor/bind/geodesic_heat.h"

#include "bind/bind_cases.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

/// The mean weight of a joint over the free part of the tongue.
double on_the_tongue(const Character& mouth, const BindResult& result, std::string_view joint) {
  const Part& part = mouth.parts[0];
  const BoundPart& bound = result.parts[0];
  double sum = 0, count = 0;
  for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
    if (mouth.materials[part.face_material[f]].name != "tongue") continue;
    for (const Index v : part.surface.face(f)) {
      if (part.surface.positions[v].z() < 0.2) continue;
      for (const Influence& i : bound.weights.row(v)) {
        if (mouth.skeleton.joints[bound.skin.joints[i.joint]].name == joint) sum += i.weight;
      }
      ++count;
    }
  }
  return count > 0 ? sum / count : -1;
}

// Figure 7 of Rohmer 2009: below the tongue is the jaw, but in a straight line the tongue sees the throat alone. Heat
// by sight binds it to the wrong bone, heat from the inside to the right one.
TEST(GeodesicHeat, TongueInAMouth) {
  Character mouth = make_sample("mouth");
  for (Part& part : mouth.parts) {
    part.skin = {};
    part.weights = {};
  }
  Context context(2);
  BindOptions options;
  options.gvb.resolution = 128;
  options.method = BindMethod::heat;
  const BindResult by_sight = bind(mouth, options, context);
  options.method = BindMethod::geodesic_heat;
  const BindResult from_inside = bind(mouth, options, context);
  EXPECT_LT(on_the_tongue(mouth, by_sight, "Jaw"), 0.4);
  EXPECT_GT(on_the_tongue(mouth, by_sight, "Throat"), 0.4);
  EXPECT_GT(on_the_tongue(mouth, from_inside, "Jaw"), 0.85);
}

// Every vertex has a row, on a mesh of many pieces too; a stiffer binding is more local.
TEST(GeodesicHeat, StiffnessMakesWeightsLocal) {
  const Character& giraffe = test::bare_giraffe();
  BindOptions options;
  options.method = BindMethod::geodesic_heat;
  options.gvb.resolution = 64;
  Context context(2);
  double influences = 1e9;
  for (const double stiffness : {1.0, 4.0, 100.0}) {
    options.geodesic_heat.stiffness = stiffness;
    const BindResult result = bind(giraffe, options, context);
    test::expect_all_bound(result, giraffe);
    const auto count = static_cast<double>(result.parts[0].weights.influences.size());
    EXPECT_LT(count, influences) << stiffness;
    influences = count;
  }
}

}  // namespace
}  // namespace isochor
