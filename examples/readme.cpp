#include <isochor/bind/bind.h>
#include <isochor/io/bake.h>
#include <isochor/io/playback.h>

using namespace isochor;

int main(int, char** argv) {
  Context context;
  Loaded loaded = load_character(argv[1], {}, context);          // GLB, FBX, OBJ …
  apply(bind(loaded.character, {}, context), loaded.character);  // weights for every vertex
  WrittenCharacter file = as_written(loaded);                    // textures, materials and all else survive
  const WeldedCharacter welded(file.character());
  // Every clip, its volume held as the file's own settings say, as morph targets on top of the skin.
  const HeldMotion motion = hold_volume(welded, {.playback = playback_of(file, welded)}, context);
  bake(motion, welded, {}, file, context);
  file.save(argv[2]);
}
