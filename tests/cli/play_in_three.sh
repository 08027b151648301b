#!/usr/bin/env bash
# play_in_three.sh PROGRAM NODE PLAY DATA: what the program bakes, played by three.js. At baked frames every vertex must be where
# the program itself puts it, within 1e-4 of the bounding box. The procedural characters always; some of those in DATA where
# they are there.
set -euo pipefail
program=$1 node=$2 play=$3 data=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# check FILE NAME CLIP BAKE TIME...: DQS, which three.js does not know, baked for its LBS.
check() {
  local file=$1 name=$2 clip=$3 bake=$4 list="" separator=""
  shift 4
  "$program" deform "$file" -o "$work/$name.glb" --deformer dqs --clip "$clip" --bake "$bake" --fps 24 --quiet
  for time in "$@"; do
    "$program" deform "$file" -o "$work/$name-$time.glb" --deformer dqs --clip "$clip" --time "$time" --quiet
    list+="$separator{\"clip\": $clip, \"time\": $time, \"shape\": \"$name-$time.glb\"}"
    separator=", "
  done
  echo "[$list]" >"$work/$name.json"
  printf '%s, %s, clip %s: ' "$name" "$bake" "$clip"
  local code=0
  "$node" "$play" "$work/$name.glb" "$work/$name.json" || code=$?
  [ $code -eq 77 ] && exit 77
  [ $code -eq 0 ] || failed=1
}

for name in cylinder giraffe knight; do "$program" sample "$name" -o "$work/$name-in.glb" --quiet; done
for bake in frames morphs; do
  check "$work/cylinder-in.glb" cylinder 0 $bake 0 0.25 0.5 1 1.5
  check "$work/giraffe-in.glb" giraffe 0 $bake 0.25 0.5 1
  check "$work/knight-in.glb" knight 0 $bake 0.25 0.5
  if [ -d "$data" ]; then
    check "$data/khronos-cesiumman/CesiumMan.glb" man 0 $bake 0.5416666194796562 1.0416666194796562
    check "$data/mesh2motion-fox/fox-animations.glb" fox 1 $bake 0.5333333333333333
  fi
done

# Twin joints: three.js, which knows four influences, against the program's own playing of the same file.
check_joints() {
  local file=$1 name=$2 clip=$3 list="" separator=""
  shift 3
  "$program" deform "$file" -o "$work/$name.glb" --clip "$clip" --bake joints --influences 4 --quiet
  for time in "$@"; do
    "$program" deform "$work/$name.glb" -o "$work/$name-$time.glb" --volume off --clip "$clip" --time "$time" --quiet
    list+="$separator{\"clip\": $clip, \"time\": $time, \"shape\": \"$name-$time.glb\"}"
    separator=", "
  done
  echo "[$list]" >"$work/$name.json"
  printf '%s, joints, clip %s: ' "$name" "$clip"
  "$node" "$play" "$work/$name.glb" "$work/$name.json" || failed=1
}
check_joints "$work/cylinder-in.glb" cylinder-joints 0 0 0.25 0.53 1.5
check_joints "$work/knight-in.glb" knight-joints 0 0.25 0.53
if [ -d "$data" ]; then
  check_joints "$data/khronos-cesiumman/CesiumMan.glb" man-joints 0 0.5416666194796562 1.03
  check_joints "$data/khronos-fox/Fox.glb" fox-joints 1 0.3 0.41
fi

# A point cache, through three.js's own reader.
"$program" deform "$work/cylinder-in.glb" -o "$work/cylinder.mdd" --deformer dqs --clip 0 --quiet
"$program" deform "$work/cylinder-in.glb" -o "$work/first.obj" --deformer dqs --clip 0 --time 0 --quiet
printf 'cylinder, mdd: '
"$node" "$play" --mdd "$work/cylinder.mdd" "$work/first.obj" || failed=1
exit $failed
