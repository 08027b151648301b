// Plays a glTF in three.js, without a browser, and compares its vertices with those of other files.
//
//   node play.mjs FILE LIST       LIST is a JSON file [{"clip": 0, "time": 0.5, "shape": FILE}, ...]: clips by their place in
//                                 the file, seconds, and what the character should look like then (a GLB that stands still)
//   node play.mjs --mdd FILE OBJ  compares the first frame of a point cache, as three.js reads it
//
// Prints the largest distance, relative to the diagonal of the bounding box. Exit codes: 0 all within 1e-4, 1 not, 2 usage,
// 77 three.js not installed.

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

const TOLERANCE = 1e-4;

let THREE, GLTFLoader, MDDLoader;
globalThis.self ??= globalThis;
try {
  THREE = await import('three');
  ({ GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js'));
  ({ MDDLoader } = await import('three/addons/loaders/MDDLoader.js'));
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.log('three.js is not installed: run "npm ci" in tests/node');
  process.exit(77);
}

const array_buffer = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

// Materials need pictures, and pictures a browser; positions need neither.
function without_materials(glb) {
  const length = glb.readUInt32LE(12);
  const json = JSON.parse(glb.toString('utf8', 20, 20 + length));
  for (const key of ['materials', 'textures', 'images', 'samplers', 'cameras']) delete json[key];
  for (const node of json.nodes ?? []) delete node.camera;
  for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  for (const key of ['extensionsUsed', 'extensionsRequired']) delete json[key];
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const rest = glb.subarray(20 + length);
  const head = Buffer.from(glb.subarray(0, 20));
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  head.writeUInt32LE(text.length, 12);
  return { json, bytes: Buffer.concat([head, text, rest]) };
}

async function load(file) {
  const { json, bytes } = without_materials(await readFile(file));
  const gltf = await new GLTFLoader().parseAsync(array_buffer(bytes), dirname(resolve(file)) + '/');
  return { json, gltf };
}

// Vertices of all meshes in world space, in the order of the file's meshes; primitives on the same vertices count once.
function vertices({ json, gltf }) {
  const found = [];
  const seen = new Set();
  gltf.scene.updateMatrixWorld(true);
  gltf.scene.traverse((mesh) => {
    if (!mesh.isMesh) return;
    const { meshes, primitives } = gltf.parser.associations.get(mesh);
    const accessor = json.meshes[meshes].primitives[primitives].attributes.POSITION;
    const owner = mesh.parent && json.meshes[meshes].primitives.length > 1 ? mesh.parent.uuid : mesh.uuid;
    const key = `${owner}:${accessor}`;
    if (seen.has(key)) return;
    seen.add(key);
    const points = [];
    for (let v = 0; v < mesh.geometry.attributes.position.count; ++v) {
      points.push(mesh.getVertexPosition(v, new THREE.Vector3()).applyMatrix4(mesh.matrixWorld));
    }
    found.push({ meshes, primitives, points });
  });
  found.sort((a, b) => a.meshes - b.meshes || a.primitives - b.primitives);
  return found.flatMap(({ points }) => points);
}

async function read_obj(file) {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.startsWith('v '));
  return lines.map((line) => new THREE.Vector3(...line.split(/\s+/).slice(1, 4).map(Number)));
}

function error_of(points, wanted) {
  if (points.length !== wanted.length) {
    console.log(`${points.length} vertices where ${wanted.length} are wanted`);
    return Infinity;
  }
  const diagonal = new THREE.Box3().setFromPoints(wanted).getSize(new THREE.Vector3()).length();
  return Math.max(...points.map((point, v) => point.distanceTo(wanted[v]))) / diagonal;
}

function verdict(error) {
  console.log(`three.js ${THREE.REVISION}: the largest distance is ${error.toExponential(2)} of the bounding box`);
  return error <= TOLERANCE ? 0 : 1;
}

async function play(file, list) {
  const loaded = await load(file);
  const mixer = new THREE.AnimationMixer(loaded.gltf.scene);
  let worst = 0;
  for (const { clip, time, shape } of JSON.parse(await readFile(list, 'utf8'))) {
    mixer.stopAllAction();
    const action = mixer.clipAction(loaded.gltf.animations[clip]).reset();
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    mixer.setTime(time);
    worst = Math.max(worst, error_of(vertices(loaded), vertices(await load(resolve(dirname(list), shape)))));
  }
  return verdict(worst);
}

async function play_mdd(file, obj) {
  const { morphTargets } = new MDDLoader().parse(array_buffer(await readFile(file)));
  const attribute = morphTargets[0];
  const points = Array.from({ length: attribute.count }, (_, v) => new THREE.Vector3().fromBufferAttribute(attribute, v));
  return verdict(error_of(points, await read_obj(obj)));
}

const args = process.argv.slice(2);
if (args.length === 3 && args[0] === '--mdd') {
  process.exit(await play_mdd(args[1], args[2]));
} else if (args.length === 2) {
  process.exit(await play(...args));
} else {
  console.log('usage: node play.mjs FILE LIST | --mdd FILE OBJ');
  process.exit(2);
}
