// The engine in Node: node --test tests/engine.test.mjs

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseGlb } from './glb.mjs';
import { makeEngine } from './node_engine.mjs';

const bytesOf = (text) => new TextEncoder().encode(text);
const box = `v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 4\nv 1 0 4\nv 1 1 4\nv 0 1 4\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n`;
const skeleton = `1 0.5 0.5 0.2\n2 0.5 0.5 2\n3 0.5 0.5 3.8\n#\n1 2\n2 3\n`;

test('the library names its samples, options and effects', async () => {
  const library = (await makeEngine()).library();
  assert.ok(library.samples.some(({ name }) => name === 'elephant'));
  assert.ok(library.bind.some(({ name, help }) => name === 'falloff' && help.length > 10));
  assert.deepEqual(library.effects.find(({ name }) => name === 'rubber').mu, [0, 1, 0]);
});

test('an OBJ and a TGF become a character that can be bound, posed and baked', async () => {
  const engine = await makeEngine();
  const { character, glb } = engine.open([{ name: 'box.obj', bytes: bytesOf(box) }, { name: 'box.tgf', bytes: bytesOf(skeleton) }], 'box.obj', 'box.tgf');
  assert.equal(character.vertices > 0, true);
  assert.equal(character.faces.quads, 6);
  assert.equal(parseGlb(glb).json.asset.version, '2.0');
  const report = engine.bind({ method: 'gvb', resolution: 32 });
  assert.equal(report.bound, report.vertices);
  const joint = engine.inspect().joints.findIndex(({ bends }) => bends);
  const turn = Math.SQRT1_2;
  const frame = engine.frame({ clip: -1, time: 0, views: ['lbs', 'held'], turns: [[joint, turn, 0, 0, turn]] });
  assert.equal(frame.views.lbs.positions.length, 3 * character.vertices);
  assert.ok(Math.abs(frame.views.lbs.volume - 1) > 1e-3, 'a bend loses volume');
  assert.ok(Math.abs(frame.views.held.volume - 1) < 1e-9, 'which is held');
  const baked = engine.bake({});
  assert.ok(baked.report.targets > 0);
  assert.ok(parseGlb(baked.glb).json.animations.length === 1);
});

// A compiler once placed the last of an odd number of vertices wrongly: the fifth would not have been welded to the first.
test('a mesh without a skin stands where its node puts it, to the last vertex', async () => {
  const positions = new Float32Array([-0.11, 0.63, -0.01, 1, 0.2, 0.1, 1.2, 0.9, 0.4, 0.1, 1.1, 0.3, -0.11, 0.63, -0.01]);
  const indices = new Uint16Array([0, 1, 2, 4, 2, 3]);
  const data = Buffer.concat([Buffer.from(positions.buffer), Buffer.from(indices.buffer)]);
  const gltf = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, translation: [0.3, 1.2, -0.4], rotation: [0.36, 0.48, 0, 0.8] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 5, type: 'VEC3', min: [-0.11, 0.2, -0.01], max: [1.2, 1.1, 0.4] },
                { bufferView: 1, componentType: 5123, count: 6, type: 'SCALAR' }],
    bufferViews: [{ buffer: 0, byteLength: 60 }, { buffer: 0, byteOffset: 60, byteLength: 12 }],
    buffers: [{ byteLength: 72, uri: `data:application/octet-stream;base64,${data.toString('base64')}` }],
  };
  const { character } = (await makeEngine()).open([{ name: 'odd.gltf', bytes: bytesOf(JSON.stringify(gltf)) }], 'odd.gltf');
  assert.equal(character.vertices, 5);
  assert.equal(character.welded_vertices, 4);
});

test('falloffs change weights without a new distance, and back', async () => {
  const engine = await makeEngine();
  const { character } = engine.openSample('cylinder');
  assert.throws(() => engine.weigh({ falloff: 0.5, joints: [] }), /has not been bound/);
  engine.bind({ method: 'gvb', resolution: 64 });
  const weights = () => engine.frame({ clip: -1, time: 0, views: ['lbs'], paint: 'weight', joint: character.joints.findIndex(({ bends }) => bends) }).paint;
  const before = weights();
  engine.weigh({ falloff: 0.9, joints: [] });
  assert.notDeepEqual(weights(), before);
  engine.weigh({ falloff: 0.1, joints: [] });
  assert.deepEqual(weights(), before);
  engine.unbind();
  assert.notDeepEqual(weights(), before, 'the weights of the file');
  engine.bind({ method: 'gvb', resolution: 64 });
  assert.deepEqual(weights(), before);
  engine.weigh({ falloff: 0.7, joints: [], draft: true });
  assert.notDeepEqual(weights(), before);
  assert.ok(Math.abs(engine.frame({ clip: 0, time: 0.7, views: ['held'] }).views.held.volume - 1) < 1e-9, 'drafts hold the volume, too');
});

test('settings are checked, and bad ones change nothing', async () => {
  const engine = await makeEngine();
  engine.openSample('cylinder');
  const { settings } = engine.setSettings({ default: { effect: 'curve', mu: [0, 0.5, 0.5], x: [[-0.5, 0], [0, 1], [0.5, 0]] } });
  assert.equal(settings.default.effect, 'curve');
  assert.throws(() => engine.setSettings({ default: { effect: 'wobble' } }), (error) => error.kind === 'bad_input');
  const frame = engine.frame({ clip: 0, time: 0.5, views: ['held'], paint: 'gamma', joint: -1 });
  assert.ok(Math.max(...frame.paint) > 0.99);
});

test('a broken file gets a sentence that names it, and what was open stays', async () => {
  const engine = await makeEngine();
  engine.openSample('cylinder');
  assert.throws(() => engine.open([{ name: 'broken.glb', bytes: bytesOf('glTF and no more') }], 'broken.glb'),
    (error) => error.name === 'IsochorError' && error.message.includes('broken.glb') && !error.message.includes('/files/'));
  assert.equal(engine.inspect().name, 'cylinder');
});

test('files may lie in folders, and leave nothing behind', async () => {
  const engine = await makeEngine();
  const left = () => engine.module.FS.readdir('/files').filter((name) => !name.startsWith('.'));
  engine.open([{ name: 'parts/box.obj', bytes: bytesOf(box) }], 'parts/box.obj');
  assert.throws(() => engine.open([{ name: 'a.obj', bytes: bytesOf(box) }, { name: './a.obj', bytes: bytesOf(box) }], 'a.obj'), /two files/);
  assert.deepEqual(left(), []);
  const buffer = parseGlb(engine.openSample('cylinder').glb);
  buffer.json.buffers[0].uri = 'data/box.bin';
  const files = [{ name: 'a.gltf', bytes: bytesOf(JSON.stringify(buffer.json)) }, { name: 'data/box.bin', bytes: buffer.bin }];
  assert.ok(engine.open(files, 'a.gltf').character.vertices > 0);
  assert.deepEqual(left(), []);
});

test('long work asks whether to stop, and nothing has changed then', async () => {
  let stop = false;
  const stages = new Set();
  const engine = await makeEngine({ stop: () => stop, progress: (stage) => stages.add(stage) });
  engine.openSample('cylinder');
  stop = true;
  assert.throws(() => engine.bind({ method: 'gvb', resolution: 64 }), (error) => error.kind === 'cancelled');
  stop = false;
  assert.equal(engine.bind({ method: 'gvb', resolution: 64 }).resolution, 64);
  assert.ok(stages.has('voxelize'));
});

test('opening and closing ten characters does not grow the memory', async () => {
  const engine = await makeEngine();
  const round = () => {
    engine.openSample('giraffe');
    engine.bind({ method: 'gvb', resolution: 64 });
    engine.frame({ clip: 0, time: 0.5, views: ['lbs', 'dqs', 'held'] });
    engine.close();
  };
  for (let i = 0; i < 3; ++i) round();
  const before = engine.memory();
  for (let i = 0; i < 10; ++i) round();
  assert.equal(engine.memory(), before);
});
