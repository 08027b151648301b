#!/usr/bin/env bash
# play_volumes.sh PROGRAM NODE FOLDER [FILE...]: what the program bakes, played by the specification alone (FOLDER/volumes.mjs), which
# shares nothing with the program. The procedural characters, with and without morph targets of their own, and the GLBs
# given: with --bake frames the volume is right within 1e-6 at keys and within --between half-way; with morphs it is what the
# report says.
set -uo pipefail
program=$1 node=$2 folder=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# judge NAME BAKE: the player's figures against the report's. A volume that cannot be held is in the report too: nothing
# may be worse than it says.
judge() {
  "$node" -e '
    const fs = require("fs");
    const played = JSON.parse(fs.readFileSync(process.argv[1])), report = JSON.parse(fs.readFileSync(process.argv[2]));
    const frames = process.argv[3] === "frames";
    const held = report.volume.max_error_after, gaps = report.bake.between?.gaps_beyond ?? 0;
    const at_keys = held + (frames ? 1e-6 : report.bake.max_volume_error + 1e-6);
    const between = held + (frames && gaps === 0 ? report.options.between : report.bake.max_volume_error_between) + 1e-6;
    const good = played.at_keys <= at_keys && played.between <= between && played.components > 0;
    const same = played.components === report.volume.components.filter((c) => c.measured).length;
    console.log(`${process.argv[4]}, ${process.argv[3]}: at keys ${played.at_keys.toExponential(1)}, between ` +
      `${played.between.toExponential(1)}, held ${held.toExponential(1)}, ${played.components} components` +
      (good ? "" : `: NOT within ${at_keys.toExponential(1)} and ${between.toExponential(1)}`) + (same ? "" : " (other components than the report)"));
    process.exit(good ? 0 : 1);
  ' "$work/played.json" "$work/report.json" "$2" "$1" || failed=1
}

# check NAME FILE: both kinds of baking.
check() {
  for bake in frames morphs; do
    if ! "$program" deform "$2" -o "$work/out.glb" --bake $bake --quiet --report "$work/report.json" 2>"$work/why"; then
      echo "$1, $bake: $(cat "$work/why")"
      return
    fi
    grep -q '"bake"' "$work/report.json" || { echo "$1, $bake: nothing baked"; continue; }
    "$node" "$folder/volumes.mjs" "$work/out.glb" "$2" >"$work/played.json" || { failed=1; continue; }
    judge "$1" $bake
  done
}

for name in cylinder giraffe; do
  "$program" sample $name -o "$work/$name.glb" --quiet || exit 1
  check $name "$work/$name.glb"
  "$node" "$folder/add_morph.mjs" "$work/$name.glb" "$work/wide.glb" 1.14 || exit 1
  check "$name with a target of its own" "$work/wide.glb"
done
for file in "$@"; do check "$(basename "$file")" "$file"; done
exit $failed
