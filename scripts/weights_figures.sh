#!/usr/bin/env bash
# weights_figures.sh PROGRAM [FOLDER]: the pictures of docs/weights.md, from the procedural characters (default: docs/images).
set -euo pipefail
program=$(realpath "$1")
folder=${2:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/docs/images}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

isochor() { "$program" "$@" --quiet; }
picture() { isochor render "$1" -o "$folder/weights-$2.png" --samples 16 "${@:3}"; }

# The tongue in a mouth: heat by sight binds it to the throat, heat from the inside to the jaw.
isochor sample mouth -o "$work/mouth.glb"
for method in heat geodesic-heat; do
  isochor bind "$work/mouth.glb" -o "$work/mouth-$method.glb" --method $method
  picture "$work/mouth-$method.glb" mouth-$method --weights Jaw --no-color-bar --view custom --azimuth 70 --elevation 12 --width 300 --height 260
done

# Every method on the elephant.
isochor sample elephant -o "$work/elephant.glb"
for method in heat geodesic-heat gvb medial distance; do
  isochor bind "$work/elephant.glb" -o "$work/elephant-$method.glb" --method $method
  picture "$work/elephant-$method.glb" elephant-$method --weights '*' --view custom --azimuth 60 --elevation 12 --width 260 --height 210
done

# A softer heat is smoother, and farther from what authors ship.
isochor bind "$work/elephant.glb" -o "$work/elephant-soft.glb" --method heat --heat-stiffness 2.5
picture "$work/elephant-soft.glb" elephant-heat-soft --weights '*' --view custom --azimuth 60 --elevation 12 --width 260 --height 210
