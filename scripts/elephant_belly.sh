#!/bin/bash
# The belly of the sitting elephant, after figures 1, 8 and 10 of Rohmer, Hahmann and Cani 2009: two folds that blend into
# one bulge as the compression falls, on skin that is refined where it bulges.
#
#   scripts/elephant_belly.sh [-p ISOCHOR] [DIR]
#
# Writes into DIR (default: docs/images) the GLB elephant-belly.glb (left out in docs/images, as it is large), and the pictures
#   belly-section.png   four moments in section, the compression falling from left to right
#   belly-side.png      the same from the side
#   belly-mesh.png      the refined mesh, slumped
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
glb=$out/elephant-belly.glb
[ "$(cd "$out" && pwd)" = "$root/docs/images" ] && glb=$work/elephant-belly.glb

"$isochor" sample elephant -o "$work/standing.glb" --quiet

# It sits, and straightens its back: a clip of two seconds, put into the GLB beside those that it has.
python3 - "$work/standing.glb" "$work/sitting.glb" <<'PY'
import json, math, struct, sys

data = open(sys.argv[1], 'rb').read()
size = struct.unpack_from('<I', data, 12)[0]
gltf, bin = json.loads(data[20:20 + size]), bytearray(data[28 + size:])

def turns(bend):
    """Degrees about x, y, z of each joint; bend goes from 1, slumped, to 0, straight."""
    both = {'Hip': (22, 0, 30), 'HindKnee': (-10, 0, 0), 'Shoulder': (-6 - 38 * bend, 0, 6), 'Knee': (35, 0, 0)}
    out = {'Hips': (-78, 0, 0), 'Spine1': (15 * bend, 0, 0), 'Spine2': (22 * bend, 0, 0), 'Chest': (15 * bend, 0, 0),
           'Neck': (28 - 16 * bend, 0, 0), 'Head': (20 - 14 * bend, 0, 0), 'Trunk1': (-26, 0, 0), 'Trunk2': (-26, 0, 0),
           'Trunk3': (-22, 0, 0), 'Trunk4': (-10, 0, 0), 'Trunk5': (20, 0, 0), 'Tail1': (80, 0, 0)}
    for joint, (x, y, z) in both.items():
        out['Left' + joint] = (x, y, z)
        out['Right' + joint] = (x, -y, -z)
    return out

def product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)

def quaternion(degrees):
    q = (0, 0, 0, 1)
    for axis, angle in enumerate(degrees):  # about x, then y, then z
        half = math.radians(angle) / 2
        turn = [0, 0, 0, math.cos(half)]
        turn[axis] = math.sin(half)
        q = product(turn, q)
    return q

def accessor(values, kind, bounds=None):
    while len(bin) % 4:
        bin.append(0)
    flat = [x for v in values for x in (v if isinstance(v, (tuple, list)) else (v,))]
    gltf['bufferViews'].append({'buffer': 0, 'byteOffset': len(bin), 'byteLength': 4 * len(flat)})
    bin.extend(struct.pack('<%df' % len(flat), *flat))
    entry = {'bufferView': len(gltf['bufferViews']) - 1, 'componentType': 5126, 'count': len(values), 'type': kind}
    entry.update(bounds or {})
    gltf['accessors'].append(entry)
    return len(gltf['accessors']) - 1

keys = 49
times = [i / 24 for i in range(keys)]
bends = [1 - i / (keys - 1) for i in range(keys)]
clock = accessor(times, 'SCALAR', {'min': [times[0]], 'max': [times[-1]]})
channels, samplers = [], []
node = {n.get('name'): i for i, n in enumerate(gltf['nodes'])}
for joint in turns(0):
    rest = gltf['nodes'][node[joint]].get('rotation', (0, 0, 0, 1))
    values = [product(rest, quaternion(turns(b)[joint])) for b in bends]
    samplers.append({'input': clock, 'interpolation': 'LINEAR', 'output': accessor(values, 'VEC4')})
    channels.append({'sampler': len(samplers) - 1, 'target': {'node': node[joint], 'path': 'rotation'}})
hips = gltf['nodes'][node['Hips']].get('translation', (0, 0, 0))
samplers.append({'input': clock, 'interpolation': 'LINEAR',
                 'output': accessor([(hips[0], hips[1] - 1.05, hips[2])] * keys, 'VEC3')})
channels.append({'sampler': len(samplers) - 1, 'target': {'node': node['Hips'], 'path': 'translation'}})
gltf['animations'] = [{'name': 'straighten', 'channels': channels, 'samplers': samplers}]
while len(bin) % 4:
    bin.append(0)
gltf['buffers'][0]['byteLength'] = len(bin)
text = json.dumps(gltf).encode()
text += b' ' * (-len(text) % 4)
with open(sys.argv[2], 'wb') as file:
    file.write(struct.pack('<III', 0x46546C67, 2, 28 + len(text) + len(bin)))
    file.write(struct.pack('<II', len(text), 0x4E4F534A) + text)
    file.write(struct.pack('<II', len(bin), 0x004E4942) + bin)
PY

# The spine's joints are one unit apart, and so are the folds at frequency 1: those of the three joints are the same two.
cat >"$work/belly.json" <<'JSON'
{"joints": {
  "Spine1": {"effect": "belly", "mu": [0, 0.1, 0.9], "sigma": [1.0, 1.5, 3.0], "center": 1, "frequency": 1, "min_share": [1, 0]},
  "Spine2": {"effect": "belly", "mu": [0, 0.1, 0.9], "sigma": [1.0, 1.5, 3.0], "center": 0, "frequency": 1, "min_share": [1, 0]},
  "Chest":  {"effect": "belly", "mu": [0, 0.1, 0.9], "sigma": [1.0, 1.5, 3.0], "center": -1, "frequency": 1, "min_share": [1, 0]}}}
JSON
"$isochor" deform "$work/sitting.glb" -o "$glb" --effects "$work/belly.json" --refine 0.5 --levels 2

picture() {
  local name=$1
  shift
  "$isochor" render "$glb" -o "$out/belly-$name.png" --view left --no-ground --samples 16 --quiet "$@"
}
picture section --frames 4 --section x --width 250 --height 270 --margin 0.02
picture side --frames 4 --width 250 --height 270 --margin 0.02
picture mesh --time 0 --wireframe --wire-width 0.4 --width 560 --height 480 --margin 0.02
