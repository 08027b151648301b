// Gives every skinned mesh of a GLB a morph target of its own that makes it wider, animated from 0 to 1 and back in every clip.
//
//   node add_morph.mjs IN.glb OUT.glb FACTOR
//
// The target moves each vertex away from the line through the middle of the mesh along its longest side: FACTOR times as far.

import { readFileSync, writeFileSync } from 'node:fs';

const [input, output, factor] = process.argv.slice(2);
if (!(Number(factor) > 0)) {
  console.error('usage: node add_morph.mjs IN.glb OUT.glb FACTOR');
  process.exit(2);
}
const bytes = readFileSync(input);
const length = bytes.readUInt32LE(12);
const json = JSON.parse(bytes.toString('utf8', 20, 20 + length));
let bin = Buffer.from(bytes.subarray(28 + length, 28 + length + bytes.readUInt32LE(20 + length)));

function append(values, type, more = {}) {
  bin = Buffer.concat([bin, Buffer.alloc((4 - (bin.length % 4)) % 4)]);
  const data = Buffer.from(Float32Array.from(values).buffer);
  json.bufferViews.push({ buffer: 0, byteOffset: bin.length, byteLength: data.length });
  bin = Buffer.concat([bin, data]);
  const width = { SCALAR: 1, VEC3: 3 }[type];
  json.accessors.push({ bufferView: json.bufferViews.length - 1, componentType: 5126, type, count: values.length / width, ...more });
  return json.accessors.length - 1;
}

function positions(index) {
  const accessor = json.accessors[index];
  const view = json.bufferViews[accessor.bufferView];
  const at = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  const stride = view.byteStride ?? 12;
  return Array.from({ length: 3 * accessor.count }, (_, i) => bin.readFloatLE(at + Math.floor(i / 3) * stride + (i % 3) * 4));
}

function widened(values) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  values.forEach((x, i) => { low[i % 3] = Math.min(low[i % 3], x); high[i % 3] = Math.max(high[i % 3], x); });
  const sides = high.map((h, k) => h - low[k]);
  const along = sides.indexOf(Math.max(...sides));
  return values.map((x, i) => (i % 3 === along ? 0 : (factor - 1) * (x - (low[i % 3] + high[i % 3]) / 2)));
}

json.nodes.forEach((node, n) => {
  if (node.mesh === undefined || node.skin === undefined) return;
  for (const primitive of json.meshes[node.mesh].primitives) {
    const offsets = widened(positions(primitive.attributes.POSITION));
    const bounds = [Math.min, Math.max].map((pick) => [0, 1, 2].map((k) => offsets.filter((_, i) => i % 3 === k).reduce((a, b) => pick(a, Math.fround(b)), 0)));
    primitive.targets = [{ POSITION: append(offsets, 'VEC3', { min: bounds[0], max: bounds[1] }) }];
  }
  for (const animation of json.animations) {
    const times = animation.samplers.map((s) => json.accessors[s.input]);
    const end = Math.max(...times.map((t) => t.max[0]));
    const input_accessor = append([0, end / 2, end], 'SCALAR', { min: [0], max: [Math.fround(end)] });
    animation.samplers.push({ input: input_accessor, output: append([0, 1, 0], 'SCALAR'), interpolation: 'LINEAR' });
    animation.channels.push({ sampler: animation.samplers.length - 1, target: { node: n, path: 'weights' } });
  }
});
json.buffers[0].byteLength = bin.length;

let text = Buffer.from(JSON.stringify(json));
text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
bin = Buffer.concat([bin, Buffer.alloc((4 - (bin.length % 4)) % 4)]);
const head = (size, type) => { const h = Buffer.alloc(8); h.writeUInt32LE(size, 0); h.writeUInt32LE(type, 4); return h; };
const file = Buffer.alloc(12);
file.write('glTF', 0, 'latin1');
file.writeUInt32LE(2, 4);
file.writeUInt32LE(12 + 8 + text.length + 8 + bin.length, 8);
writeFileSync(output, Buffer.concat([file, head(text.length, 0x4e4f534a), text, head(bin.length, 0x004e4942), bin]));
