#!/usr/bin/env bash
# medial_figures.sh PROGRAM [FOLDER]: the pictures of docs/medial.md, from the procedural characters (default: docs/images), and the
# numbers of figures 1, 6 and 7 on the terminal. medial_papers is looked for in the same build; without it those figures are left out.
set -euo pipefail
program=$(realpath "$1")
folder=${2:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/docs/images}
papers=$(dirname "$program")/../bench/medial/medial_papers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

isochor() { "$program" "$@" --quiet; }

# Figures 1, 6 and 7.
if [ -x "$papers" ]; then "$papers" "$folder"; fi

# An object and its medial.
isochor sample elephant -o "$work/elephant.glb"
isochor render "$work/elephant.glb" -o "$folder/medial-elephant-skin.png" --samples 16 --view custom --azimuth 60 --elevation 12 --width 380 --height 320
isochor render "$work/elephant.glb" -o "$folder/medial-elephant.png" --medial radius --samples 16 --view custom --azimuth 60 --elevation 12 --width 440 --height 320

# Figure 5: an object, its skeleton and medial at rest, and articulated.
isochor sample shoulder -o "$work/shoulder.glb"
view=(--samples 16 --view custom --azimuth 20 --elevation 10 --width 360 --height 300)
isochor render "$work/shoulder.glb" -o "$folder/medial-figure-5-skin.png" "${view[@]}"
isochor render "$work/shoulder.glb" -o "$folder/medial-figure-5-rest.png" --medial joint --bones "${view[@]}"
isochor render "$work/shoulder.glb" -o "$folder/medial-figure-5-moved.png" --medial joint --bones --clip yaw --time 0.5 "${view[@]}"

# Figure 8: the shoulder in twist, pitch and yaw.
for clip in twist pitch yaw; do
  for deformer in lbs dqs medial; do
    isochor render "$work/shoulder.glb" -o "$folder/medial-figure-8-$clip-$deformer.png" --clip "$clip" --time 0.5 --deformer "$deformer" \
      --samples 16 --view custom --azimuth 20 --elevation 10 --width 300 --height 260
  done
done

# Weights by way of the medial.
isochor sample knight -o "$work/knight.glb"
for name in elephant knight; do
  isochor bind "$work/$name.glb" -o "$work/bound.glb" --method medial
  isochor render "$work/bound.glb" -o "$folder/medial-weights-$name.png" --weights '*' --samples 16 --view custom --azimuth 60 --elevation 12 --width 400 --height 320
done
