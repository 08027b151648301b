// The parts of the page that need no browser: node --test tests/units.test.mjs

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const source = join(dirname(fileURLToPath(import.meta.url)), '../src');
let folder;
const modules = {};

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isochor-units-'));
  for (const name of ['controls/profile', 'state/project', 'state/history', 'files']) {
    const outfile = join(folder, `${name.replace('/', '-')}.mjs`);
    await build({ entryPoints: [join(source, `${name}.ts`)], outfile, bundle: true, format: 'esm', logLevel: 'error' });
    modules[name] = await import(pathToFileURL(outfile));
  }
});
after(() => rmSync(folder, { recursive: true }));

test('a curve goes through its points, does not overshoot, and is 1 without any', () => {
  const { interpolant } = modules['controls/profile'];
  assert.equal(interpolant([])(3), 1);
  const points = [[-1, 0], [0, 1], [0.5, 0.9], [2, 0]];
  const f = interpolant(points);
  for (const [x, y] of points) assert.ok(Math.abs(f(x) - y) < 1e-12);
  for (let x = -2; x < 3; x += 0.01) assert.ok(f(x) >= 0 && f(x) <= 1);
  assert.equal(f(-5), 0);
  // As isochor/volume/profile.h has it: slope zero at the ends, harmonic mean inside.
  assert.ok(Math.abs(interpolant([[0, 0], [1, 1]])(0.25) - 0.15625) < 1e-12);
});

test('a stroke becomes few points that keep its shape', () => {
  const { simplify, interpolant } = modules['controls/profile'];
  const stroke = Array.from({ length: 200 }, (_, i) => [i / 100 - 1, Math.exp(-(((i - 100) / 40) ** 2))]);
  const points = simplify(stroke, 0.02);
  assert.ok(points.length > 4 && points.length < 20, String(points.length));
  const f = interpolant(points);
  for (const [x, y] of stroke) assert.ok(Math.abs(f(x) - y) < 0.08);
});

test('names tell the other side, and patterns what they fit', () => {
  const { otherSide, matches, effectOf, withEffect } = modules['state/project'];
  const pairs = { LeftArm: 'RightArm', 'mixamorig:RightUpLeg': 'mixamorig:LeftUpLeg', thigh_l: 'thigh_r', 'DEF-thigh.L': 'DEF-thigh.R', 'Bip01 L Thigh': 'Bip01 R Thigh', handR: 'handL', Spine: null, Lamp: null };
  for (const [name, other] of Object.entries(pairs)) assert.equal(otherSide(name), other, name);
  assert.ok(matches('mySpine2', '*Spine*') && matches('Spine', 'Sp?ne') && !matches('Spine1', 'Spine'));
  const settings = withEffect({ joints: { '*Arm': { effect: 'muscle' } } }, ['LeftArm'], { effect: 'curve' });
  assert.equal(effectOf(settings, 'LeftArm').effect.effect, 'curve');
  assert.equal(effectOf(settings, 'RightArm').effect.effect, 'muscle');
  assert.deepEqual(effectOf(withEffect(settings, ['LeftArm'], null), 'LeftArm').effect, { effect: 'muscle' });
  assert.equal(effectOf(withEffect({ joints: { '*': { effect: 'muscle' } } }, ['12'], { effect: 'curve' }), '12').effect.effect, 'curve');
});

test('history goes back and forth, and forgets what was undone when something new is done', () => {
  const { History } = modules['state/history'];
  const history = new History('a');
  history.push('to b', 'b');
  history.push('to c', 'c');
  assert.deepEqual([history.undoLabel, history.undo(), history.redoLabel, history.redo()], ['to c', 'b', 'to c', 'c']);
  history.undo();
  history.push('to d', 'd');
  assert.deepEqual([history.redo(), history.undo(), history.undo(), history.undo()], [null, 'b', 'a', null]);
  history.push('to e', 'e');
  assert.equal(history.takeBack('x'), null);
  assert.equal(history.takeBack('e'), 'a');
  assert.deepEqual([history.undoLabel, history.redoLabel], [null, null]);
  assert.equal(history.takeBack('a'), null);
  // A step back or forth that came to nothing leaves everything to be redone.
  for (const value of 'bcd') history.push(`to ${value}`, value);
  history.undo();
  assert.equal(history.undo(), 'b');
  assert.deepEqual([history.takeBack('b'), history.redoLabel], ['c', 'to d']);
  assert.deepEqual([history.redo(), history.takeBack('d'), history.redo()], ['d', 'c', 'd']);
});

test('dropped files are told apart', () => {
  const { sortFiles } = modules['files'];
  const files = (...names) => names.map((name) => ({ name, bytes: new Uint8Array() }));
  assert.equal(sortFiles([]), null);
  assert.equal(sortFiles(files('walk.bvh')).kind, 'motion');
  assert.equal(sortFiles(files('rig.TGF')).kind, 'skeleton');
  assert.equal(sortFiles(files('effects.json')).kind, 'settings');
  const both = sortFiles(files('rig.txt', 'body.obj', 'body.mtl'));
  assert.deepEqual([both.kind, both.skeleton.name, both.files.map(({ name }) => name)], ['character', 'rig.txt', ['body.obj', 'body.mtl']]);
  assert.equal(sortFiles(files('unknown.xyz')).kind, 'character');
  const json = JSON.stringify({ buffers: [{ uri: 'a.bin' }], images: [{ uri: 'textures/my%20skin.png' }, { uri: 'data:,' }] });
  const gltf = [{ name: 'a.gltf', bytes: new TextEncoder().encode(json) }, ...files('a.bin', 'my skin.png', 'other.png')];
  assert.deepEqual(sortFiles(gltf).files.map(({ name }) => name), ['a.gltf', 'a.bin', 'textures/my skin.png', 'other.png']);
  assert.equal(sortFiles(files('broken.gltf', 'a.bin')).files.length, 2);
});
