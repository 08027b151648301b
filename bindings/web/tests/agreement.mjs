// Native and WebAssembly agree: weights and corrected positions of all samples within 1e-5 of the bounding box.
//
//   node agreement.mjs PROGRAM     PROGRAM is the native isochor
//
// Prints a line for each sample. Exit codes: 0 all within, 1 not.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseGlb, readAccessor, weightsOf } from './glb.mjs';
import { makeEngine } from './node_engine.mjs';

const tolerance = 1e-5;
const program = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'isochor-agreement-'));
const path = (name) => join(folder, name);
const run = (...args) => execFileSync(program, [...args, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });

/** The largest difference of a weight. */
function weightDifference(native, web, parts) {
  let largest = 0, vertices = 0;
  for (const part of parts) {
    for (const { primitive } of part.primitives) {
      const a = weightsOf(native, part.node, primitive), b = weightsOf(web, part.node, primitive);
      if (a.length !== b.length) return { largest: Infinity, vertices };
      a.forEach((row, v) => {
        for (const joint of new Set([...row.keys(), ...b[v].keys()])) largest = Math.max(largest, Math.abs((row.get(joint) ?? 0) - (b[v].get(joint) ?? 0)));
      });
      vertices += a.length;
    }
  }
  return { largest, vertices };
}

/** The largest distance of a vertex, in boxes. */
function positionDifference(still, character, positions) {
  let largest = 0;
  for (const part of character.parts) {
    const primitives = still.json.meshes[still.json.nodes[part.node].mesh].primitives;
    for (const { primitive, first, vertices } of part.primitives) {
      const native = readAccessor(still, primitives[primitive].attributes.POSITION);
      for (let i = 0; i < 3 * vertices; ++i) largest = Math.max(largest, Math.abs(native[i] - positions[3 * (part.first + first) + i]));
    }
  }
  return largest / character.size;
}

let failed = false;
try {
  const engine = await makeEngine();
  for (const { name } of engine.library().samples) {
    run('sample', name, '-o', path('sample.glb'));
    run('bind', path('sample.glb'), '-o', path('bound.glb'));
    const { character } = engine.open([{ name: 'sample.glb', bytes: readFileSync(path('sample.glb')) }], 'sample.glb');
    engine.bind({});
    const weights = weightDifference(parseGlb(readFileSync(path('bound.glb'))), parseGlb(engine.save()), character.parts);
    let positions = 0, moments = 0;
    for (const [c, clip] of character.clips.entries()) {
      for (const share of [0.3, 0.7]) {
        const time = clip.start + share * clip.duration;
        run('deform', path('bound.glb'), '-o', path('still.glb'), '--clip', clip.name, '--time', String(time));
        const frame = engine.frame({ clip: c, time, views: ['held'] });
        positions = Math.max(positions, positionDifference(parseGlb(readFileSync(path('still.glb'))), character, frame.views.held.positions));
        ++moments;
      }
    }
    const fine = weights.largest <= tolerance && positions <= tolerance && weights.vertices > 0 && moments > 0;
    failed ||= !fine;
    console.log(`${fine ? 'ok  ' : 'FAIL'} ${name}: ${weights.vertices} vertices, weights differ by ${weights.largest.toExponential(1)}, ${moments} moments, positions by ${positions.toExponential(1)} of the box`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(failed ? 1 : 0);
