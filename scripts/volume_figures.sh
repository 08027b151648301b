#!/bin/bash
# The effects of docs/volume.md on a bent cylinder, after figure 5 of Rohmer, Hahmann and Cani 2009.
#
#   scripts/volume_figures.sh [-p ISOCHOR] [DIR]
#
# Writes DIR/effect-NAME.png (default: docs/images) for the plain skin and for each effect, and the pictures of real
# characters where the data folder is there; prints the volume error before and after.
# ISOCHOR is the program (default: build/release/cli/isochor).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
isochor=$root/build/release/cli/isochor
while getopts p: option; do
  case $option in
    p) isochor=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
out=${1:-$root/docs/images}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

"$isochor" sample cylinder --segments 64 --rings 129 --radius 0.3 -o "$work/cylinder.glb" --quiet
echo '{"joints": {"Bone2": {"turn": [0, 0, 100]}}}' >"$work/bend.json"

# picture NAME SETTINGS [deform options...]
picture() {
  local name=$1 settings=$2
  shift 2
  echo "$settings" >"$work/$name.json"
  "$isochor" deform "$work/cylinder.glb" -o "$work/$name.obj" --pose "$work/bend.json" --effects "$work/$name.json" \
    "$@" | sed -n "1s/^/$name: /p"
  "$isochor" render "$work/$name.obj" -o "$out/effect-$name.png" --views front,left \
    --width 360 --height 320 --no-ground --samples 32 --quiet
}

picture lbs '{}' --volume off
picture blend '{}'
picture isotropic '{"default": {"effect": "isotropic"}}'
picture rubber '{"default": {"effect": "rubber"}}'
picture muscle '{"default": {"effect": "muscle"}}'
picture folds '{"default": {"effect": "folds"}}'
picture belly '{"default": {"effect": "belly", "min_share": 0.2}}'
picture skin '{"default": {"effect": "skin", "gain": 1}}'
picture organic '{"default": {"effect": "organic"}}'
picture curve '{"default": {"effect": "curve", "mu": [0, 0.3, 0.7], "x": [[-0.9, 0], [-0.5, 1], [-0.1, 0.2], [0.2, 0]], "z": [[-0.3, 0], [0.3, 1]]}}'
picture combined '{"default": {"effect": "combined", "combine": "product", "mu": [0, 0.5, 0.5], "maps": [{"effect": "folds", "sigma": 0.4}, {"effect": "muscle", "center": -0.2, "sigma": 0.4}]}}'

# Skin that meets skin: the inside of a bend that skinning brings through itself, in section.
"$isochor" sample cylinder -o "$work/bending.glb" --quiet
for contact in off hold resolve; do
  "$isochor" deform "$work/bending.glb" -o "$work/contact.obj" --clip bend --time 1.3 --contact $contact | sed -n "1s/^/contact $contact: /p"
  "$isochor" render "$work/contact.obj" -o "$out/contact-$contact.png" --view left --section x --section-fill hollow \
    --width 360 --height 320 --no-ground --samples 32 --quiet
done

# The giraffe of the papers' first author (as many vertices as that of table 1 of 2009), where the data folder is there:
# its neck bent, plain and with the rubber effect. The file's faces look inward; they are turned for the picture.
girafe=$root/../shared/data/rohmer-girafe
if [ -d "$girafe" ]; then
  awk '$1 == "f" { printf "f"; for (i = NF; i > 1; --i) printf " %s", $i; print ""; next } { print }' "$girafe/mesh.obj" >"$work/girafe.obj"
  echo '{"joints": {"gi_neckC7": {"turn": [35, 0, 0]}, "gi_neckC4": {"turn": [45, 0, 0]}, "gi_neckC2": {"turn": [35, 0, 0]}}}' >"$work/neck.json"
  echo '{"joints": {"gi_neck*": {"effect": "rubber"}}}' >"$work/rubber.json"
  for volume in off exact; do
    "$isochor" deform "$work/girafe.obj" --skeleton "$girafe/rig.txt" --pose "$work/neck.json" --effects "$work/rubber.json" \
      --volume $volume -o "$work/girafe-$volume.obj" | sed -n "1s/^/giraffe, volume $volume: /p"
    "$isochor" render "$work/girafe-$volume.obj" -o "$out/volume-girafe-$volume.png" --views left,top --width 360 --height 400 \
      --samples 24 --quiet
  done
fi

# A grazing horse (CC0, mesh2motion.org), its joints one after another as in the paper, and together.
horse=$root/../shared/data/mesh2motion-horse/horse-animations.glb
if [ -f "$horse" ]; then
  for joints in sequence together; do
    "$isochor" deform "$horse" -o "$work/horse-$joints.obj" --clip Eating --time 1 --treatment $joints --report "$work/horse.json" \
      | sed -n "1s/^/horse, joints $joints: /p"
    grep -o '"max_displacement": [0-9.e-]*' "$work/horse.json"
    "$isochor" render "$work/horse-$joints.obj" -o "$out/volume-horse-$joints.png" --views left,front --width 380 --height 340 \
      --no-ground --samples 32 --quiet
  done
fi
