#!/usr/bin/env bash
# consumer.sh SOURCE BUILD: installs BUILD into a folder of its own and builds a small project against it.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/installed" >"$work/install.log"
cp "$source"/tests/install/consumer/{CMakeLists.txt,textured.cpp} "$source"/examples/{readme,bind,live_weights}.cpp "$work/"
cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/installed" -DCMAKE_BUILD_TYPE=Release >"$work/configure.log" ||
  { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build"

"$work/installed/bin/isochor" sample cylinder -o "$work/cylinder.glb"
# The README's program: the file has new weights and morph targets, keeps its clips, and plays with its volume held.
"$work/build/readme" "$work/cylinder.glb" "$work/out.glb"
"$work/installed/bin/isochor" inspect "$work/out.glb" --json >"$work/out.json"
grep -q '"morph_targets"' "$work/out.json"
"$work/installed/bin/isochor" compare "$work/cylinder.glb" "$work/out.glb" --json >"$work/compare.json"
grep -q '"clip": "bend"' "$work/compare.json"
"$work/installed/bin/isochor" deform "$work/out.glb" -o "$work/played.glb" --volume off --max-volume-error 1e-3
# Materials, images, texture coordinates and extras of a textured GLB go through it as they are; a second time, as what was
# baked is taken out first.
"$work/installed/bin/isochor" sample cylinder -o "$work/plain.gltf"
"$work/build/textured" make "$work/plain.gltf" "$work/textured.glb"
"$work/build/readme" "$work/textured.glb" "$work/once.glb"
"$work/build/textured" compare "$work/textured.glb" "$work/once.glb"
"$work/build/readme" "$work/once.glb" "$work/twice.glb"
cmp "$work/once.glb" "$work/twice.glb"
"$work/build/bind" "$work/cylinder.glb" "$work/bound.glb" | tee "$work/out.txt"
grep -q ' bound to 2 joints$' "$work/out.txt"
"$work/build/live_weights" "$work/cylinder.glb" | tee "$work/out.txt"
[ "$(grep -c "mean change 0\.[0-9]*[1-9]" "$work/out.txt")" -eq 4 ]
"$work/installed/bin/isochor" --version
