// Plays a glTF by the specification alone, with nothing of Isochor, and measures the volume that its triangles enclose.
//
//   node volumes.mjs FILE [SOURCE] [--scale S]
//
// FILE is what was baked. Its volume should be that of the skin at rest, times what the joints' scale makes of it, times S;
// at rest with the morph weights that SOURCE, the file before it was baked, has at that moment (without SOURCE: none).
// Prints JSON: for each clip the largest relative error of a component at the keys of the morph weights, and half-way between
// two of them, and where that is. Exit codes: 0 measured, 2 usage or a file that cannot be played.
//
// A component: triangles that hang together after vertices at the same place in the bind pose are joined (those of meshes
// whose skins share a joint together). Holes are closed by a fan about the mean of their rim. Components without a volume
// (not orientable, flat, or sheets, whose largest rim spans more than 0.6 of their area) are left out.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// ---- the file

function parse(path) {
  const bytes = readFileSync(path);
  let json, chunk = null;
  if (bytes.toString('latin1', 0, 4) === 'glTF') {
    const length = bytes.readUInt32LE(12);
    json = JSON.parse(bytes.toString('utf8', 20, 20 + length));
    const begin = 20 + length;
    if (begin + 8 <= bytes.length) chunk = bytes.subarray(begin + 8, begin + 8 + bytes.readUInt32LE(begin));
  } else {
    json = JSON.parse(bytes.toString('utf8'));
  }
  const buffers = (json.buffers ?? []).map((buffer) => {
    if (buffer.uri === undefined) return chunk;
    const data = /^data:[^,]*;base64,/.exec(buffer.uri);
    if (data) return Buffer.from(buffer.uri.slice(data[0].length), 'base64');
    return readFileSync(join(dirname(path), decodeURIComponent(buffer.uri)));
  });
  return { json, buffers, known: new Map() };
}

const WIDTH = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };
const COMPONENT = {
  5120: [1, 'readInt8', 127], 5121: [1, 'readUInt8', 255], 5122: [2, 'readInt16LE', 32767],
  5123: [2, 'readUInt16LE', 65535], 5125: [4, 'readUInt32LE', 1], 5126: [4, 'readFloatLE', 1],
};

function elements(file, view_index, offset, count, width, type, normalized) {
  const view = file.json.bufferViews[view_index];
  const [size, read, largest] = COMPONENT[type];
  const stride = view.byteStride ?? size * width;
  const buffer = file.buffers[view.buffer];
  const out = new Float64Array(count * width);
  for (let i = 0; i < count; ++i) {
    for (let k = 0; k < width; ++k) {
      const value = buffer[read]((view.byteOffset ?? 0) + offset + i * stride + k * size);
      out[i * width + k] = normalized && type !== 5126 ? Math.max(value / largest, -1) : value;
    }
  }
  return out;
}

// Values one after another; { width, count, values }.
function accessor(file, index) {
  if (file.known.has(index)) return file.known.get(index);
  const a = file.json.accessors[index];
  const width = WIDTH[a.type];
  const values = a.bufferView === undefined
    ? new Float64Array(a.count * width)
    : elements(file, a.bufferView, a.byteOffset ?? 0, a.count, width, a.componentType, a.normalized);
  if (a.sparse) {
    const { count, indices, values: given } = a.sparse;
    const at = elements(file, indices.bufferView, indices.byteOffset ?? 0, count, 1, indices.componentType, false);
    const to = elements(file, given.bufferView, given.byteOffset ?? 0, count, width, a.componentType, a.normalized);
    for (let i = 0; i < count; ++i) values.set(to.subarray(i * width, (i + 1) * width), at[i] * width);
  }
  const out = { width, count: a.count, values };
  file.known.set(index, out);
  return out;
}

// ---- matrices, column by column as in the file

const multiply = (a, b) => {
  const out = new Float64Array(16);
  for (let c = 0; c < 4; ++c) {
    for (let r = 0; r < 4; ++r) {
      for (let k = 0; k < 4; ++k) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
    }
  }
  return out;
};
const IDENTITY = Float64Array.from([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
const determinant = (m) =>
  m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) + m[8] * (m[1] * m[6] - m[2] * m[5]);

function compose(t, [x, y, z, w], s) {
  return Float64Array.from([
    (1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0], 2 * (x * z - y * w) * s[0], 0,
    2 * (x * y - z * w) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1], 0,
    2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0,
    t[0], t[1], t[2], 1,
  ]);
}

// ---- animation

const unit = (q) => { const n = Math.hypot(...q); return n > 0 ? q.map((x) => x / n) : q; };

function slerp(a, b, t) {
  let dot = a.reduce((sum, x, i) => sum + x * b[i], 0);
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(Math.abs(dot), 1);
  const angle = Math.acos(dot);
  const [p, q] = angle < 1e-9 ? [1 - t, t] : [Math.sin((1 - t) * angle) / Math.sin(angle), Math.sin(t * angle) / Math.sin(angle)];
  return unit(a.map((x, i) => p * x + sign * q * b[i]));
}

// The value of a sampler: an array, for weights one number for each target.
function sample(file, sampler, path, time) {
  const times = accessor(file, sampler.input).values;
  const output = accessor(file, sampler.output);
  const mode = sampler.interpolation ?? 'LINEAR';
  const spline = mode === 'CUBICSPLINE';
  const width = (output.values.length / times.length) / (spline ? 3 : 1);
  const row = (k, part = 0) => {
    const at = (spline ? 3 * k + part : k) * width;
    return Array.from(output.values.subarray(at, at + width));
  };
  const value = (k) => row(k, 1);
  const last = times.length - 1;
  if (time <= times[0]) return value(0);
  if (time >= times[last]) return value(last);
  let k = 0;
  while (times[k + 1] <= time) ++k;
  if (mode === 'STEP') return value(k);
  const length = times[k + 1] - times[k];
  const t = (time - times[k]) / length;
  if (!spline) {
    const next = value(k + 1);
    return path === 'rotation' ? slerp(value(k), next, t) : value(k).map((x, i) => (1 - t) * x + t * next[i]);
  }
  const t2 = t * t, t3 = t2 * t;
  const out_of = row(k, 2), next = value(k + 1), into = row(k + 1, 0);
  const out = value(k).map((x, i) =>
    (2 * t3 - 3 * t2 + 1) * x + length * (t3 - 2 * t2 + t) * out_of[i] + (3 * t2 - 2 * t3) * next[i] + length * (t3 - t2) * into[i]);
  return path === 'rotation' ? unit(out) : out;
}

function pose(file, animation, time) {
  const over = new Map();
  for (const { sampler, target } of animation?.channels ?? []) {
    if (target.node === undefined) continue;
    over.set(`${target.node}.${target.path}`, sample(file, animation.samplers[sampler], target.path, time));
  }
  const globals = new Map();
  const parent = new Map();
  file.json.nodes.forEach((node, i) => (node.children ?? []).forEach((child) => parent.set(child, i)));
  const global = (i) => {
    if (globals.has(i)) return globals.get(i);
    const node = file.json.nodes[i];
    const get = (path, otherwise) => over.get(`${i}.${path}`) ?? node[path] ?? otherwise;
    const local = node.matrix
      ? Float64Array.from(node.matrix)
      : compose(get('translation', [0, 0, 0]), get('rotation', [0, 0, 0, 1]), get('scale', [1, 1, 1]));
    const out = parent.has(i) ? multiply(global(parent.get(i)), local) : local;
    globals.set(i, out);
    return out;
  };
  const weights = (i) =>
    over.get(`${i}.weights`) ?? file.json.nodes[i].weights ?? file.json.meshes[file.json.nodes[i].mesh].weights ?? [];
  return { global, weights };
}

// ---- the skin

// Those of vertex v: joints and weights from begin[v] to begin[v + 1].
function influences_of(sets, count) {
  const begin = new Int32Array(count + 1), joints = [], weights = [];
  for (let v = 0; v < count; ++v) {
    for (const [joint, weight] of sets) {
      for (let k = 4 * v; k < 4 * v + 4; ++k) {
        if (weight.values[k] === 0) continue;
        joints.push(joint.values[k]);
        weights.push(weight.values[k]);
      }
    }
    begin[v + 1] = joints.length;
  }
  return { begin, joints: Int32Array.from(joints), weights: Float64Array.from(weights) };
}

// Every primitive of every skinned node.
function skinned_pieces(file) {
  const pieces = [];
  (file.json.nodes ?? []).forEach((node, i) => {
    if (node.mesh === undefined || node.skin === undefined) return;
    for (const primitive of file.json.meshes[node.mesh].primitives) {
      if ((primitive.mode ?? 4) < 4 || primitive.attributes.JOINTS_0 === undefined) continue;
      const positions = accessor(file, primitive.attributes.POSITION);
      const sets = [];
      for (let s = 0; primitive.attributes[`JOINTS_${s}`] !== undefined; ++s) {
        sets.push([accessor(file, primitive.attributes[`JOINTS_${s}`]), accessor(file, primitive.attributes[`WEIGHTS_${s}`])]);
      }
      pieces.push({ node: i, skin: node.skin, positions, influences: influences_of(sets, positions.count), triangles: triangles_of(file, primitive, positions.count),
                    targets: (primitive.targets ?? []).map((t) => (t.POSITION === undefined ? null : accessor(file, t.POSITION))) });
    }
  });
  return pieces;
}

function triangles_of(file, primitive, count) {
  const index = primitive.indices === undefined ? Array.from({ length: count }, (_, i) => i) : accessor(file, primitive.indices).values;
  const out = [];
  const mode = primitive.mode ?? 4;
  if (mode === 4) for (let i = 0; i + 2 < index.length; i += 3) out.push([index[i], index[i + 1], index[i + 2]]);
  if (mode === 5) for (let i = 0; i + 2 < index.length; ++i) out.push(i % 2 ? [index[i + 1], index[i], index[i + 2]] : [index[i], index[i + 1], index[i + 2]]);
  if (mode === 6) for (let i = 1; i + 1 < index.length; ++i) out.push([index[0], index[i], index[i + 1]]);
  return out;
}

// The shape at rest with its morph targets.
function morphed(piece, weights) {
  const out = Float64Array.from(piece.positions.values);
  piece.targets.forEach((target, t) => {
    const w = weights[t] ?? 0;
    if (target && w !== 0) for (let i = 0; i < out.length; ++i) out[i] += w * target.values[i];
  });
  return out;
}

function joint_matrices(file, skin_index, at) {
  const skin = file.json.skins[skin_index];
  const inverse = skin.inverseBindMatrices === undefined ? null : accessor(file, skin.inverseBindMatrices).values;
  return skin.joints.map((joint, j) => multiply(at.global(joint), inverse ? inverse.subarray(16 * j, 16 * j + 16) : IDENTITY));
}

function skin({ influences: { begin, joints, weights } }, rest, matrices) {
  const out = new Float64Array(rest.length);
  for (let v = 0; 3 * v < rest.length; ++v) {
    const x = rest[3 * v], y = rest[3 * v + 1], z = rest[3 * v + 2];
    let sum = 0, px = 0, py = 0, pz = 0;
    for (let i = begin[v]; i < begin[v + 1]; ++i) {
      const m = matrices[joints[i]], w = weights[i];
      px += w * (m[0] * x + m[4] * y + m[8] * z + m[12]);
      py += w * (m[1] * x + m[5] * y + m[9] * z + m[13]);
      pz += w * (m[2] * x + m[6] * y + m[10] * z + m[14]);
      sum += w;
    }
    // Weights that do not add up to 1 are the file's fault; a viewer divides.
    if (sum === 0) sum = 1;
    out[3 * v] = px / sum;
    out[3 * v + 1] = py / sum;
    out[3 * v + 2] = pz / sum;
  }
  return out;
}

// ---- components

class Sets {
  constructor(n) { this.parent = Array.from({ length: n }, (_, i) => i); }
  find(i) { while (this.parent[i] !== i) i = this.parent[i] = this.parent[this.parent[i]]; return i; }
  join(a, b) { a = this.find(a); b = this.find(b); this.parent[Math.max(a, b)] = Math.min(a, b); }
}

// Which pieces may be joined: those whose skins share a joint.
function piece_groups(file, pieces) {
  const sets = new Sets(pieces.length);
  const owner = new Map();
  pieces.forEach((piece, p) => {
    for (const joint of file.json.skins[piece.skin].joints) {
      if (owner.has(joint)) sets.join(owner.get(joint), p);
      else owner.set(joint, p);
    }
  });
  return pieces.map((_, p) => sets.find(p));
}

// Welded triangles in components, consistently oriented, and the loops around their holes.
function components_of(file, pieces) {
  const groups = piece_groups(file, pieces);
  const first = new Map();
  const welded = [], where = [];
  pieces.forEach((piece, p) => {
    welded.push(new Int32Array(piece.positions.count));
    for (let v = 0; v < piece.positions.count; ++v) {
      const [x, y, z] = piece.positions.values.subarray(3 * v, 3 * v + 3);
      const key = `${groups[p]} ${x + 0} ${y + 0} ${z + 0}`;
      if (!first.has(key)) { first.set(key, where.length); where.push([p, v]); }
      welded[p][v] = first.get(key);
    }
  });
  const faces = [];
  pieces.forEach((piece, p) => {
    for (const corners of piece.triangles) {
      const face = corners.map((v) => welded[p][v]);
      if (new Set(face).size === 3) faces.push(face);
    }
  });
  const sets = new Sets(where.length);
  for (const [a, b, c] of faces) { sets.join(a, b); sets.join(a, c); }
  const by_root = new Map();
  for (const face of faces) {
    const root = sets.find(face[0]);
    if (!by_root.has(root)) by_root.set(root, []);
    by_root.get(root).push(face);
  }
  return { where, components: [...by_root.values()].map(orient).filter((c) => c !== null) };
}

// Closed walks along the edges through which more faces run one way than the other: the rims of holes, and, where more than
// two faces meet in an edge, those of faces without a partner. Without caps there, the volume would depend on the origin.
// A walk begins at the lowest vertex, and where it can go on in several ways it goes to the lowest.
function rims(faces) {
  const surplus = new Map();
  const add = (a, b, n) => {
    if (!surplus.has(a)) surplus.set(a, new Map());
    surplus.get(a).set(b, (surplus.get(a).get(b) ?? 0) + n);
  };
  for (const face of faces) {
    for (let i = 0; i < 3; ++i) {
      add(face[i], face[(i + 1) % 3], 1);
      add(face[(i + 1) % 3], face[i], -1);
    }
  }
  const next = new Map();
  for (const a of [...surplus.keys()].sort((p, q) => p - q)) {
    const ways = [];
    for (const [b, n] of surplus.get(a)) for (let k = 0; k < n; ++k) ways.push(b);
    if (ways.length > 0) next.set(a, ways.sort((p, q) => p - q));
  }
  const loops = [];
  for (const start of next.keys()) {
    while (next.get(start).length > 0) {
      const loop = [start];
      for (let at = next.get(start).shift(); at !== start; at = next.get(at).shift()) loop.push(at);
      loops.push(loop);
    }
  }
  return loops;
}

function orient(faces) {
  const edges = new Map();
  faces.forEach((face, f) => {
    for (let i = 0; i < 3; ++i) {
      const a = face[i], b = face[(i + 1) % 3];
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      if (!edges.has(key)) edges.set(key, []);
      edges.get(key).push({ f, forward: a < b });
    }
  });
  const neighbours = faces.map(() => []);
  for (const uses of edges.values()) {
    if (uses.length !== 2 || uses[0].f === uses[1].f) continue;
    const same = uses[0].forward === uses[1].forward;
    neighbours[uses[0].f].push([uses[1].f, same]);
    neighbours[uses[1].f].push([uses[0].f, same]);
  }
  const sign = new Int8Array(faces.length);
  for (let seed = 0; seed < faces.length; ++seed) {
    if (sign[seed] !== 0) continue;
    sign[seed] = 1;
    const patch = [seed];
    for (let i = 0; i < patch.length; ++i) {
      for (const [g, turned] of neighbours[patch[i]]) {
        const wanted = turned ? -sign[patch[i]] : sign[patch[i]];
        if (sign[g] === 0) { sign[g] = wanted; patch.push(g); }
        else if (sign[g] !== wanted) return null;  // a Möbius strip
      }
    }
    const against = patch.filter((f) => sign[f] < 0).length;
    if (2 * against > patch.length) for (const f of patch) sign[f] = -sign[f];
  }
  const oriented = faces.map((face, f) => (sign[f] < 0 ? [face[0], face[2], face[1]] : face));
  return { faces: oriented, loops: rims(oriented) };
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

// `at`: where the welded vertices are, three numbers each. Measured from one of them, for the sake of rounding.
function volume(component, at) {
  const origin = component.faces[0][0];
  const ox = at[3 * origin], oy = at[3 * origin + 1], oz = at[3 * origin + 2];
  let sum = 0;
  const add = (ax, ay, az, bx, by, bz, cx, cy, cz) => {
    sum += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
  };
  for (const [a, b, c] of component.faces) {
    add(at[3 * a] - ox, at[3 * a + 1] - oy, at[3 * a + 2] - oz, at[3 * b] - ox, at[3 * b + 1] - oy, at[3 * b + 2] - oz,
        at[3 * c] - ox, at[3 * c + 1] - oy, at[3 * c + 2] - oz);
  }
  for (const loop of component.loops) {
    const points = loop.map((v) => [at[3 * v] - ox, at[3 * v + 1] - oy, at[3 * v + 2] - oz]);
    const mean = [0, 1, 2].map((k) => points.reduce((s, p) => s + p[k], 0) / points.length);
    // The loop runs with the surface on its left: its cap runs the other way.
    points.forEach((p, i) => add(...mean, ...points[(i + 1) % points.length], ...p));
  }
  return sum / 6;
}

function has_volume(component, at) {
  const place = (v) => at.subarray(3 * v, 3 * v + 3);
  const area = (points) => {
    const out = [0, 0, 0];
    for (let i = 1; i + 1 < points.length; ++i) {
      const n = cross(sub(points[i], points[0]), sub(points[i + 1], points[0]));
      for (let k = 0; k < 3; ++k) out[k] += n[k] / 2;
    }
    return Math.hypot(...out);
  };
  const total = component.faces.reduce((sum, face) => sum + area(face.map(place)), 0);
  const rim = Math.max(0, ...component.loops.map((loop) => area(loop.map(place))));
  if (rim > 0.6 * total) return false;
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const face of component.faces) {
    for (const v of face) place(v).forEach((x, k) => { low[k] = Math.min(low[k], x); high[k] = Math.max(high[k], x); });
  }
  return Math.abs(volume(component, at)) > 1e-6 * Math.hypot(...sub(high, low)) ** 3;
}

// ---- all of it

// The weights of a component's vertices, added up: [piece, joint, weight].
function joint_shares(component, where, pieces) {
  const shares = new Map();
  for (const w of new Set(component.faces.flat())) {
    const [p, v] = where[w];
    const { begin, joints, weights } = pieces[p].influences;
    for (let i = begin[v]; i < begin[v + 1]; ++i) {
      const key = `${p} ${joints[i]}`;
      if (!shares.has(key)) shares.set(key, [p, joints[i], 0]);
      shares.get(key)[2] += weights[i];
    }
  }
  return [...shares.values()];
}

// What joints' scale makes of a volume: the mean of their determinants, by the weights of the component's vertices.
function scale_of(shares, matrices) {
  let sum = 0, total = 0;
  for (const [p, joint, weight] of shares) {
    sum += weight * determinant(matrices[p][joint]);
    total += weight;
  }
  return total > 0 ? sum / total : 1;
}

// The welded vertices' places, three numbers each, from those of the pieces' vertices.
function gathered(where, values) {
  const out = new Float64Array(3 * where.length);
  for (let w = 0; w < where.length; ++w) {
    const [p, v] = where[w];
    for (let k = 0; k < 3; ++k) out[3 * w + k] = values[p][3 * v + k];
  }
  return out;
}

function key_times(file, animation) {
  const times = new Set();
  const gather = (wanted) => {
    for (const { sampler, target } of animation.channels) {
      if (wanted(target.path)) accessor(file, animation.samplers[sampler].input).values.forEach((t) => times.add(t));
    }
  };
  gather((path) => path === 'weights');
  if (times.size === 0) gather(() => true);
  return [...times].sort((a, b) => a - b);
}

// The same clip before it was baked: by name, or by its place where names do not tell.
function source_clip(source, file, index) {
  const clips = source.json.animations ?? [];
  const name = file.json.animations[index].name;
  const same = clips.filter((clip) => clip.name === name);
  return name !== undefined && same.length === 1 ? same[0] : clips[index];
}

function measure(path, source_path, scale) {
  const file = parse(path);
  const source = source_path ? parse(source_path) : null;
  const pieces = skinned_pieces(file);
  const before = source ? skinned_pieces(source) : null;
  if (before && before.length !== pieces.length) throw new Error('the two files have different skins');
  const { where, components } = components_of(file, pieces);
  const bind = gathered(where, pieces.map((piece) => piece.positions.values));
  const solid = components.filter((component) => has_volume(component, bind));
  const rest_volumes = solid.map((component) => volume(component, bind));
  const shares = solid.map((component) => joint_shares(component, where, pieces));

  const moment = (index, time) => {
    const at = pose(file, file.json.animations[index], time);
    const matrices = pieces.map((piece) => joint_matrices(file, piece.skin, at));
    const shown = pieces.map((piece, p) => skin(piece, morphed(piece, at.weights(piece.node)), matrices[p]));
    const places = gathered(where, shown);
    let rests = rest_volumes;
    if (before && before.some((piece) => piece.targets.length > 0)) {
      const was = pose(source, source_clip(source, file, index), time);
      const rest = gathered(where, before.map((piece) => morphed(piece, was.weights(piece.node))));
      rests = solid.map((component) => volume(component, rest));
    }
    return solid.map((component, c) => {
      const target = scale * rests[c] * scale_of(shares[c], matrices);
      return target === 0 ? 0 : Math.abs(volume(component, places) - target) / Math.abs(target);
    });
  };

  const worst = (index, times) => {
    let out = { error: 0 };
    for (const time of times) {
      moment(index, time).forEach((error, c) => { if (!(error <= out.error)) out = { error, time, component: c }; });
    }
    return out;
  };
  const clips = (file.json.animations ?? []).map((animation, index) => {
    const times = key_times(file, animation);
    const between = times.slice(1).map((t, k) => (t + times[k]) / 2);
    return { name: animation.name, keys: times.length, at_keys: worst(index, times), between: worst(index, between) };
  });
  return { components: solid.length, left_out: components.length - solid.length, clips,
           at_keys: Math.max(0, ...clips.map((c) => c.at_keys.error)),
           between: Math.max(0, ...clips.map((c) => c.between.error)) };
}

const args = process.argv.slice(2);
let scale = 1;
const option = args.indexOf('--scale');
if (option >= 0) scale = Number(args.splice(option, 2)[1]);
if (args.length < 1 || args.length > 2 || !(scale > 0)) {
  console.error('usage: node volumes.mjs FILE [SOURCE] [--scale S]');
  process.exit(2);
}
try {
  console.log(JSON.stringify(measure(args[0], args[1], scale), null, 1));
} catch (error) {
  console.error(`${args[0]}: ${error.message}`);
  process.exit(2);
}
