// As much of a glTF reader as the tests need: the accessors of a GLB as arrays of numbers.

export function parseGlb(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)));
  return { json, bin: bytes.subarray(28 + length) };
}

const widths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const readers = {
  5121: { size: 1, read: (view, at) => view.getUint8(at), scale: 1 / 255 },
  5123: { size: 2, read: (view, at) => view.getUint16(at, true), scale: 1 / 65535 },
  5125: { size: 4, read: (view, at) => view.getUint32(at, true), scale: 1 },
  5126: { size: 4, read: (view, at) => view.getFloat32(at, true), scale: 1 },
};

export function readAccessor({ json, bin }, index) {
  const accessor = json.accessors[index];
  const { size, read, scale } = readers[accessor.componentType];
  const width = widths[accessor.type];
  const view = json.bufferViews[accessor.bufferView];
  const data = new DataView(bin.buffer, bin.byteOffset, bin.byteLength);
  const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0), stride = view.byteStride ?? size * width;
  const out = new Float64Array(accessor.count * width);
  for (let i = 0; i < accessor.count; ++i) {
    for (let k = 0; k < width; ++k) out[i * width + k] = read(data, start + i * stride + k * size) * (accessor.normalized ? scale : 1);
  }
  return out;
}

/** For each vertex of a primitive a map from node of the joint to weight. */
export function weightsOf(glb, node, primitive) {
  const { mesh, skin } = glb.json.nodes[node];
  const { attributes } = glb.json.meshes[mesh].primitives[primitive];
  const joints = skin === undefined ? [] : glb.json.skins[skin].joints;
  const rows = [];
  for (let set = 0; attributes[`JOINTS_${set}`] !== undefined; ++set) {
    const index = readAccessor(glb, attributes[`JOINTS_${set}`]), weight = readAccessor(glb, attributes[`WEIGHTS_${set}`]);
    for (let v = 0; v < index.length / 4; ++v) {
      rows[v] ??= new Map();
      for (let k = 0; k < 4; ++k) {
        const joint = joints[index[4 * v + k]];
        if (weight[4 * v + k] > 0) rows[v].set(joint, (rows[v].get(joint) ?? 0) + weight[4 * v + k]);
      }
    }
  }
  return rows;
}
