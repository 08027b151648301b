#!/usr/bin/env bash
# validate_outputs.sh PROGRAM NODE VALIDATE DATA: what the program writes, through the Khronos validator. No file may have an
# error or a warning that its input had not. The procedural characters always; those in DATA where it is there.
set -euo pipefail
program=$1 node=$2 validate=$3 data=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pairs=()
pair() { pairs+=("{\"input\": $1, \"output\": \"$2\"}"); }

for name in cylinder cylinder3 giraffe elephant knight; do
  "$program" sample "$name" -o "$work/$name.glb" --quiet
  pair null "$work/$name.glb"
  for deformer in lbs dqs; do
    "$program" deform "$work/$name.glb" -o "$work/$name-$deformer.glb" --deformer $deformer --fps 6 --quiet
    pair "\"$work/$name.glb\"" "$work/$name-$deformer.glb"
  done
  "$program" deform "$work/$name.glb" -o "$work/$name-morphs.glb" --bake morphs --fps 6 --quiet
  pair "\"$work/$name.glb\"" "$work/$name-morphs.glb"
  "$program" deform "$work/$name.glb" -o "$work/$name-joints.glb" --bake joints --fps 2 --quiet
  pair "\"$work/$name.glb\"" "$work/$name-joints.glb"
  "$program" deform "$work/$name.glb" -o "$work/$name-still.glb" --clip 0 --time 0.5 --quiet
  pair "\"$work/$name.glb\"" "$work/$name-still.glb"
  "$program" deform "$work/$name.glb" -o "$work/$name-refined.glb" --refine 0.5 --levels 2 --fps 2 --quiet
  pair "\"$work/$name.glb\"" "$work/$name-refined.glb"
  # Bound again, to a skeleton from elsewhere, with more influences than one set holds, and from a mesh and a rig.
  "$program" bind "$work/$name.glb" -o "$work/$name-bound.glb" --resolution 64 --quiet
  pair "\"$work/$name.glb\"" "$work/$name-bound.glb"
  "$program" sample "$name" -o "$work/$name.obj" --quiet
  "$program" bind "$work/$name.glb" --skeleton "$work/${name}_rig.txt" -o "$work/$name-other.glb" --resolution 64 --influences 7 \
    --prune 0 --quiet
  pair "\"$work/$name.glb\"" "$work/$name-other.glb"
  "$program" bind "$work/$name.obj" --skeleton "$work/${name}_rig.txt" -o "$work/$name-fresh.glb" --resolution 64 --quiet
  pair null "$work/$name-fresh.glb"
done

if [ -d "$data" ]; then
  while IFS= read -r file; do
    name=$(basename "$file" .glb)
    if "$program" bind "$file" -o "$work/$name-bound.glb" --resolution 64 --quiet 2>/dev/null; then
      pair "\"$file\"" "$work/$name-bound.glb"
    fi
    # Files without a clip, or without a mesh, are refused; tests elsewhere say so.
    "$program" deform "$file" -o "$work/$name-lbs.glb" --clip 0 --fps 6 --quiet 2>/dev/null || continue
    pair "\"$file\"" "$work/$name-lbs.glb"
    "$program" deform "$file" -o "$work/$name-dqs.glb" --clip 0 --deformer dqs --fps 6 --quiet
    pair "\"$file\"" "$work/$name-dqs.glb"
    "$program" deform "$file" -o "$work/$name-joints.glb" --clip 0 --bake joints --fps 2 --quiet
    pair "\"$file\"" "$work/$name-joints.glb"
    "$program" deform "$file" -o "$work/$name-refined.glb" --clip 0 --refine 0.5 --fps 2 --quiet
    pair "\"$file\"" "$work/$name-refined.glb"
    "$program" deform "$file" -o "$work/$name-all.glb" --volume off --quiet
    pair "\"$file\"" "$work/$name-all.glb"
    start=$("$program" inspect "$file" --json | awk '/"start":/ && !seen++ {gsub(/[",]/, ""); print $2}')
    "$program" deform "$file" -o "$work/$name-still.glb" --clip 0 --time "$start" --quiet
    pair "\"$file\"" "$work/$name-still.glb"
  done < <(find "$data" -name '*.glb' | sort)
  for file in "$data"/quaternius-*/*.fbx; do
    name=$(basename "$file" .fbx)
    "$program" deform "$file" -o "$work/fbx-$name.glb" --volume off --quiet
    pair null "$work/fbx-$name.glb"
  done
fi

(IFS=,; echo "[${pairs[*]}]") >"$work/pairs.json"
"$node" "$validate" --compare "$work/pairs.json"
