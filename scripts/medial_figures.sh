#!/usr/bin/env bash
# medial_figures.sh PROGRAM [FOLDER]: the pictures of docs/medial.md, from the procedural characters (default: docs/images).
set -euo pipefail
program=$(realpath "$1")
folder=${2:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/docs/images}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

isochor() { "$program" "$@" --quiet; }

# An object and its medial.
isochor sample elephant -o "$work/elephant.glb"
isochor render "$work/elephant.glb" -o "$folder/medial-elephant-skin.png" --samples 16 --view custom --azimuth 60 --elevation 12 --width 380 --height 320
isochor render "$work/elephant.glb" -o "$folder/medial-elephant.png" --medial radius --samples 16 --view custom --azimuth 60 --elevation 12 --width 440 --height 320

# Weights by way of the medial.
isochor sample knight -o "$work/knight.glb"
for name in elephant knight; do
  isochor bind "$work/$name.glb" -o "$work/bound.glb" --method medial
  isochor render "$work/bound.glb" -o "$folder/medial-weights-$name.png" --weights '*' --samples 16 --view custom --azimuth 60 --elevation 12 --width 400 --height 320
done
