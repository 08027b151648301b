#include <isochor/bind/bind.h>
#include <isochor/io/bake.h>
#include <isochor/io/written_character.h>

using namespace isochor;

int main(int, char** argv) {
  Context context;
  Loaded loaded = load_character(argv[1], {}, context);          // GLB, FBX, OBJ …
  apply(bind(loaded.character, {}, context), loaded.character);  // weights for every vertex
  WrittenCharacter file = as_written(loaded);                    // textures, materials and all else survive
  const WeldedCharacter welded(file.character());
  const HeldMotion motion = hold_volume(welded, {}, context);  // every clip, its volume held
  bake(motion, welded, {}, file, context);                     // as morph targets on top of the skin
  file.save(argv[2]);
}
