#!/usr/bin/env bash
# consumer.sh SOURCE BUILD: installs BUILD into a folder of its own and builds a small project against it.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/installed" >"$work/install.log"
cp "$source/tests/install/consumer/CMakeLists.txt" "$source"/examples/{readme,bind}.cpp "$work/"
cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/installed" -DCMAKE_BUILD_TYPE=Release >"$work/configure.log" ||
  { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build"

"$work/installed/bin/isochor" sample cylinder -o "$work/cylinder.glb"
"$work/build/readme" "$work/cylinder.glb" | tee "$work/out.txt"
grep -q '^bend: .* of its volume$' "$work/out.txt"
"$work/build/bind" "$work/cylinder.glb" "$work/bound.glb" | tee "$work/out.txt"
grep -q ' bound to 2 joints$' "$work/out.txt"
"$work/installed/bin/isochor" --version
