#!/usr/bin/env bash
# gvb_figures.sh PROGRAM [FOLDER]: the pictures of docs/gvb.md, from the procedural characters (default: docs/images).
set -euo pipefail
program=$(realpath "$1")
folder=${2:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/docs/images}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

isochor() { "$program" "$@" --quiet; }
picture() { isochor render "$1" -o "$folder/gvb-$2.png" --samples 16 "${@:3}"; }

isochor sample elephant -o "$work/elephant.glb"
isochor sample knight -o "$work/knight.glb"
isochor bind "$work/elephant.glb" -o "$work/bound.glb" --resolution 128
isochor bind "$work/knight.glb" -o "$work/knight-bound.glb" --resolution 128

# What comes out: every joint in a colour of its own, blended by the weights.
picture "$work/bound.glb" weights --weights '*' --clip sit --frames 4 --view custom --azimuth 50 --elevation 12 --width 240 --height 220
picture "$work/knight-bound.glb" knight --weights '*' --views front,back --width 300 --height 330

# Figure 3: the surface, the voxels cut open, the cells of the octree cut open.
view=(--view custom --azimuth 60 --elevation 15 --width 300 --height 230)
picture "$work/elephant.glb" 3-surface --wireframe --wire-width 0.5 "${view[@]}"
picture "$work/elephant.glb" 3-voxels --voxels all --section x --resolution 64 "${view[@]}"
picture "$work/elephant.glb" 3-cells --voxels cells --section x --resolution 64 --wireframe --wire-width 0.4 "${view[@]}"

# Figure 5: distances through the inside, in section.
picture "$work/elephant.glb" 5-distance --distance Trunk4 --section x --resolution 128 --view left --width 460 --height 300

# Figure 13: at 32 voxels the ear and the shoulder are one.
for r in 32 128; do
  isochor bind "$work/elephant.glb" -o "$work/at-$r.glb" --resolution $r
  picture "$work/elephant.glb" 13-voxels-$r --voxels boundary --resolution $r --width 260 --height 230
  picture "$work/at-$r.glb" 13-weights-$r --weights LeftEarTip --no-color-bar --width 260 --height 230
done

# Figure 14: a penalty on voxels of the surface keeps weights nearer to their joint.
for penalty in 1 20; do
  isochor bind "$work/elephant.glb" -o "$work/penalty-$penalty.glb" --resolution 128 --penalty $penalty
  picture "$work/penalty-$penalty.glb" 14-penalty-$penalty --weights LeftShoulder --no-color-bar --view left --width 300 --height 230
done

# Euclidean distance looks through the gap behind the ear.
isochor bind "$work/elephant.glb" -o "$work/euclid.glb" --method distance
behind=(--weights LeftEarTip --no-color-bar --view custom --azimuth 130 --elevation 20 --width 300 --height 270)
picture "$work/euclid.glb" contrast-distance "${behind[@]}"
picture "$work/bound.glb" contrast-gvb "${behind[@]}"
