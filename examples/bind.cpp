#include <isochor/bind/bind.h>
#include <isochor/io/load.h>

#include <iostream>

int main(int, char** argv) {
  isochor::Context context;
  auto character = isochor::load_character(argv[1], {}, context).character;
  const auto result = isochor::bind(character, {.method = isochor::BindMethod::gvb, .falloff = 0.2}, context);
  isochor::apply(result, character);
  isochor::save_character(character, argv[2], context);
  std::cout << result.bound << " of " << result.vertices << " vertices bound to " << result.joints << " joints\n";
}
