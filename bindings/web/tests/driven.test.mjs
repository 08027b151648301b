// The evaluator of driven twins against values that were found with rotation matrices.
//   node --test tests/driven.test.mjs

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const { driven } = await import(process.env.ISOCHOR_DRIVEN ?? new URL('../dist/driven.js', import.meta.url).href);
const { twin, cases } = JSON.parse(readFileSync(new URL('driven_case.json', import.meta.url), 'utf8'));

const near = (found, wanted) => found.forEach((value, i) => assert.ok(Math.abs(value - wanted[i]) < 1e-9, `${found} is not ${wanted}`));

test('a twin goes where swing and twist of its joint say', () => {
  for (const { rotation, translation, turn, scale } of cases) {
    const placed = driven(twin, rotation);
    near(placed.translation, translation);
    near(placed.rotation, turn);
    near(placed.scale, scale);
  }
});

test('it rests where the joint is as it was bound', () => {
  const placed = driven(twin, twin.rest);
  near(placed.translation, twin.pivot);
  near(placed.rotation, [0, 0, 0, 1]);
  near(placed.scale, [1, 1, 1]);
});
