#include <isochor/deform/playback.h>
#include <isochor/io/load.h>

#include <iostream>

int main(int, char** argv) {
  isochor::Context context;
  const auto character = isochor::load_character(argv[1], {}, context).character;
  const isochor::Playback playback(character);
  for (const auto& clip : character.clips) {
    const auto pose = isochor::sample(clip, character.skeleton, clip.end());
    const auto frame = playback.pose(pose, isochor::Deformer::dqs, context);
    std::cout << clip.name << ": " << frame.volumes[0] / frame.target_volumes[0] << " of its volume\n";
  }
}
