// The studio in a real browser: node --test tests/studio.test.mjs
//
// One character's life from opening to export, each step with a screenshot in build/studio-shots. Needs a built page, the
// native program (ISOCHOR_PROGRAM) and Chromium.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, openPage, program, root, serve, shot, until } from './browser.mjs';

let browser, server, page, context, faults;

before(async () => {
  [browser, server] = [await launch(), await serve()];
  ({ page, context, faults } = await openPage(browser, { host: new URL(server.address).host }));
});
after(async () => {
  await browser?.close();
  await server?.end();
});

const state = (get) => page.evaluate(get);
const volumeOf = (view) => page.locator(`.pane[data-view=${view}]`).getAttribute('data-volume').then(Number);
const ready = (name) => page.waitForSelector(`body[data-ready="${name}"]`, { timeout: 60_000 });
const idle = async () => { await page.waitForTimeout(250); await until(page, () => !document.querySelector('.progress')); };
const choose = (joint) => page.locator(`[data-joint="${joint}"] .name`).first().click();
const firstBending = () => state(() => window.isochorStudio.studio.character.joints.filter((joint) => joint.bends).map((joint) => joint.name));
const positions = (view = 'held') => page.evaluate((name) => [...window.isochorStudio.studio.lastFrame.views[name].positions], view);
const furthest = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

test('the start screen offers samples', async () => {
  await page.goto(server.address);
  await page.waitForSelector('.sample');
  assert.ok(await page.locator('.sample').count() >= 5);
  assert.equal(await page.locator('.sample img').count(), await page.locator('.sample').count(), 'every sample has its picture');
  await shot(page, '01-start');
});

test('a sample opens, and a script can tell', async () => {
  await page.goto(`${server.address}#sample=elephant`);
  await page.reload();
  await ready('elephant');
  await idle();
  assert.equal(await page.title(), 'elephant · Isochor Studio');
  assert.ok(await page.locator('[role=treeitem]').count() > 20);
  await shot(page, '02-elephant');
});

test('binding gives every vertex weights and says how', async () => {
  await page.getByTestId('bind').click();
  await page.waitForSelector('.report dl', { timeout: 60_000 });
  await idle();
  const text = await page.locator('.report').innerText();
  assert.match(text, /(\d+) of \1/);
  await shot(page, '03-bound');
});

test('heat has no α, and the panel offers the method that has one', async () => {
  const slider = page.getByTestId('falloff').locator('input[type=range]');
  assert.ok(await slider.isDisabled());
  await page.getByTestId('geodesic').click();
  await until(page, () => /Resolution/.test(document.querySelector('.report').innerText));
  await idle();
  assert.ok(await slider.isEnabled());
  assert.equal(await page.getByTestId('method').locator('select').inputValue(), 'gvb');
  // What the panel shows goes back and forth with it.
  for (const [key, method] of [['Control+z', 'auto'], ['Control+y', 'gvb']]) {
    await page.keyboard.press(key);
    await idle();
    assert.equal(await page.getByTestId('method').locator('select').inputValue(), method);
  }
  await until(page, () => /Resolution/.test(document.querySelector('.report').innerText));
});

test('a joint is turned with the mouse; linear blending loses volume, and Isochor holds it', async () => {
  await page.getByTestId('layout-three').click();
  await page.getByTestId('tab-pose').click();
  await page.locator('.clip-choice select').selectOption('-1');
  const joints = await firstBending();
  const neck = joints.find((name) => /leg|thigh|knee|neck|trunk/i.test(name)) ?? joints[1];
  await choose(neck);
  await idle();
  const before = await volumeOf('lbs');
  let turned = false;
  for (const axis of ['X', 'Y', 'Z']) {
    const places = await page.evaluate((name) => window.isochorStudio.viewport.gizmoHandle(name, 'held', 1.4), axis);
    if (!places) continue;
    const [from, to] = places;
    await page.mouse.move(from.x, from.y);
    await page.waitForTimeout(60);
    await page.mouse.down();
    await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 8 });
    await page.mouse.move(to.x, to.y, { steps: 8 });
    await page.mouse.up();
    await idle();
    turned = await state(() => Object.keys(window.isochorStudio.studio.project.turns).length > 0);
    if (turned) break;
  }
  assert.ok(turned, 'the gizmo turned the joint');
  // A bend that is certain to cost volume, by the sliders of the panel.
  await page.getByTestId('turn-Z').locator('input[type=number]').fill('45');
  await page.getByTestId('turn-Z').locator('input[type=number]').press('Enter');
  await idle();
  const [lbs, held] = [await volumeOf('lbs'), await volumeOf('held')];
  assert.ok(Math.abs(lbs - 1) > 1e-3, `linear blending: ${before} to ${lbs}`);
  assert.ok(Math.abs(held - 1) < 1e-6, `held: ${held}`);
  await shot(page, '04-three-views');
});

test('α changes the weights in the pose, without a new bind', async () => {
  await page.getByTestId('tab-bind').click();
  const report = await state(() => window.isochorStudio.studio.report.seconds.voxelize);
  const before = await positions('lbs');
  const slider = page.getByTestId('falloff').locator('input[type=range]');
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + 0.1 * box.width, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.85 * box.width, box.y + box.height / 2, { steps: 15 });
  await page.mouse.up();
  await idle();
  assert.ok(furthest(before, await positions('lbs')) > 1e-4, 'the skin moved');
  assert.equal(await state(() => window.isochorStudio.studio.report.seconds.voxelize), report);
  assert.ok(await state(() => window.isochorStudio.studio.project.falloff > 0.5));
  const chosen = await state(() => window.isochorStudio.studio.view.joint);
  await page.evaluate(() => {
    const { studio } = window.isochorStudio;
    studio.look({ layout: 'one', paint: 'weight', joint: studio.character.joints.findIndex(({ name }) => name === 'Head') });
  });
  await idle();
  await shot(page, '05-falloff');
  await page.evaluate((joint) => window.isochorStudio.studio.look({ paint: 'none', joint }), chosen);
});

test('a curve that is drawn with the mouse changes the skin', async () => {
  await page.getByTestId('tab-shape').click();
  await page.getByTestId('effect').locator('select').selectOption('curve');
  await idle();
  const before = await positions();
  const box = await page.getByTestId('profile').boundingBox();
  const at = (x, y) => [box.x + x * box.width, box.y + y * box.height];
  await page.mouse.move(...at(0.14, 0.8));
  await page.mouse.down();
  for (const [x, y] of [[0.2, 0.7], [0.28, 0.25], [0.36, 0.12], [0.44, 0.4], [0.52, 0.8], [0.6, 0.84], [0.72, 0.6], [0.8, 0.5], [0.92, 0.82]]) await page.mouse.move(...at(x, y), { steps: 4 });
  await page.mouse.up();
  await idle();
  assert.ok(furthest(before, await positions()) > 1e-5, 'the skin moved');
  assert.ok(Math.abs((await volumeOf('held')) - 1) < 1e-6, 'and kept its volume');
  await shot(page, '06-curve');
});

test('undo and redo go back and forth', async () => {
  const drawn = await state(() => JSON.stringify(window.isochorStudio.studio.project.settings));
  await page.getByTestId('undo').click();
  await idle();
  assert.notEqual(await state(() => JSON.stringify(window.isochorStudio.studio.project.settings)), drawn);
  await page.keyboard.press('Control+Shift+Z');
  await idle();
  assert.equal(await state(() => JSON.stringify(window.isochorStudio.studio.project.settings)), drawn);
});

test('the plot shows who loses volume over a clip', async () => {
  await page.getByTestId('tab-pose').click();
  await page.getByTestId('reset-pose').click();
  await page.locator('.clip-choice select').selectOption({ label: 'sit' });
  await page.waitForSelector('.plot[data-measured=yes]', { timeout: 60_000 });
  const extremes = await state(() => window.isochorStudio.timeline.extremes());
  assert.ok(extremes.lbs.low < 99.9 || extremes.lbs.high > 100.1, JSON.stringify(extremes));
  assert.ok(Math.abs(extremes.held.low - 100) < 1e-4 && Math.abs(extremes.held.high - 100) < 1e-4, JSON.stringify(extremes));
  await page.getByTestId('play').click();
  await page.waitForTimeout(600);
  await page.getByTestId('play').click();
  assert.ok(await state(() => window.isochorStudio.studio.view.time > window.isochorStudio.studio.clip.start));
  const over = await page.locator('.u-over').boundingBox();
  await page.mouse.click(over.x + 0.6 * over.width, over.y + 0.5 * over.height);
  await page.getByTestId('layout-three').click();
  await page.mouse.move(over.x + 0.75 * over.width, over.y + 0.5 * over.height);
  await idle();
  await shot(page, '07-plot');
  await page.getByTestId('layout-one').click();
});

test('overlays: joints in colour, displacement, voxels, wireframe, section', async () => {
  for (const [name, look] of Object.entries({
    joints: { paint: 'joints' }, displacement: { paint: 'displacement' }, voxels: { paint: 'none', voxels: true }, section: { voxels: false, wireframe: true, section: 'x', sectionAt: 0.5 },
  })) {
    await page.evaluate((change) => window.isochorStudio.studio.look({ panel: 'look', ...change }), look);
    await idle();
    await page.waitForTimeout(400);
    await shot(page, `08-${name}`);
  }
  await page.evaluate(() => window.isochorStudio.studio.look({ wireframe: false, section: 'none', paint: 'none', panel: 'bind' }));
});

test('a bind can be stopped, and leaves everything as it was', async () => {
  const before = await state(() => JSON.stringify(window.isochorStudio.studio.project.bind));
  await page.getByTestId('tab-bind').click();
  await page.getByTestId('resolution').locator('select').selectOption('512');
  await page.getByTestId('bind').click();
  await page.getByTestId('cancel').click({ timeout: 20_000 });
  await until(page, () => [...document.querySelectorAll('.message')].some((box) => box.textContent.includes('Stopped')));
  assert.equal(await state(() => JSON.stringify(window.isochorStudio.studio.project.bind)), before);
  await shot(page, '09-stopped');
});

test('a broken file gets its sentence, and what was open stays', async () => {
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File([new TextEncoder().encode('glTF, and nothing more')], 'broken.glb'));
    return data;
  });
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await page.waitForSelector('.message.error');
  assert.match(await page.locator('.message.error').innerText(), /broken\.glb/);
  assert.equal(await page.locator('body').getAttribute('data-ready'), 'elephant');
  await shot(page, '10-broken');
  await page.locator('.message.error button').click();
});

test('what is open survives a reload', async () => {
  const before = await state(() => JSON.stringify(window.isochorStudio.studio.project));
  await page.waitForTimeout(500);
  await page.reload();
  await ready('elephant');
  await idle();
  assert.equal(await state(() => JSON.stringify(window.isochorStudio.studio.project)), before);
});

test('what ended the page when it was brought back is left closed once', async () => {
  const before = await state(() => JSON.stringify(window.isochorStudio.studio.project));
  await page.waitForTimeout(500);
  await page.evaluate(() => sessionStorage.setItem('isochor-restoring', 'yes'));
  await page.reload();
  await page.waitForSelector('.message.error');
  assert.equal(await state(() => window.isochorStudio.studio.character), null);
  await page.reload();
  await ready('elephant');
  await idle();
  assert.equal(await state(() => JSON.stringify(window.isochorStudio.studio.project)), before);
});

test('what is exported passes the validator and isochor inspect, and holds its volume', async () => {
  await page.getByRole('menuitem', { name: 'File' }).click();
  await page.getByTestId('export-baked').click();
  await shot(page, '11-export');
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 120_000 }), page.locator('dialog .primary').click()]);
  const file = join(tmpdir(), `isochor-studio-${process.pid}.glb`);
  await download.saveAs(file);
  const require = createRequire(join(root, 'tests/node/package.json'));
  const report = await require('gltf-validator').validateBytes(new Uint8Array(readFileSync(file)));
  assert.deepEqual([report.issues.numErrors, report.issues.numWarnings], [0, 0], JSON.stringify(report.issues.messages.slice(0, 3)));
  const inspected = JSON.parse(execFileSync(program, ['inspect', file, '--json'], { encoding: 'utf8' }));
  assert.ok(inspected.parts.some((part) => part.morph_targets > 0));
  await page.getByRole('menuitem', { name: 'File' }).click();
  const [settings] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-settings').click()]);
  const text = readFileSync(await settings.path(), 'utf8');
  const effects = join(tmpdir(), `isochor-studio-${process.pid}.json`);
  writeFileSync(effects, text);
  execFileSync(program, ['deform', file, '-o', join(tmpdir(), `isochor-studio-${process.pid}-again.glb`), '--effects', effects, '--time', '0', '--quiet']);
  await page.getByRole('menuitem', { name: 'File' }).click();
  const [picture] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-picture').click()]);
  assert.equal(readFileSync(await picture.path()).subarray(1, 4).toString(), 'PNG');
});

test('a drag ends where the mouse was let go, whatever was dropped on the way', async () => {
  await page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration); }).observe({ entryTypes: ['longtask'] });
  });
  await page.getByTestId('tab-pose').click();
  const slider = page.getByTestId('turn-Y').locator('input[type=range]');
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 0; i < 60; ++i) await page.mouse.move(box.x + box.width * (0.5 + 0.3 * Math.sin(i / 6)), box.y + box.height / 2);
  await page.mouse.up();
  await idle();
  const angle = Number(await page.getByTestId('turn-Y').locator('input[type=number]').inputValue());
  const share = 0.5 + 0.3 * Math.sin(59 / 6);
  const [low, high] = await slider.evaluate((input) => [Number(input.min), Number(input.max)]);
  assert.ok(Math.abs(angle - (low + share * (high - low))) < 0.05 * (high - low), `${angle} at ${share} of ${low} to ${high}`);
  const after = await positions('held');
  await page.evaluate(() => window.isochorStudio.studio.seek(window.isochorStudio.studio.view.time));
  await idle();
  assert.ok(furthest(after, await positions('held')) < 1e-6, 'the last frame is that of the last place');
  const longest = await state(() => window.longest);
  console.log(`# longest task of the page during a drag: ${longest.toFixed(0)} ms (0: none of 50 ms or more)`);
});

test('light, and a large screen', async () => {
  await page.evaluate(() => window.isochorStudio.studio.look({ layout: 'three', panel: 'shape' }));
  await page.setViewportSize({ width: 2560, height: 1440 });
  await idle();
  await page.waitForTimeout(500);
  await shot(page, '12-large-dark');
  await page.setViewportSize({ width: 1600, height: 900 });
  await page.locator('.clip-choice select').selectOption({ label: 'sit' });
  await page.evaluate(() => {
    window.isochorStudio.studio.change('Reset the pose', { turns: {} });
    window.isochorStudio.studio.look({ panel: 'look', time: 2.4 });
  });
  await idle();
  await page.evaluate(() => window.isochorStudio.viewport.fit());
  await page.waitForSelector('.plot[data-measured=yes]', { timeout: 60_000 });
  await idle();
  await shot(page, '14-three-deformers');
  await page.evaluate(() => window.isochorStudio.studio.look({ panel: 'shape' }));
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 720 });
  await idle();
  await page.waitForTimeout(500);
  await shot(page, '13-light');
  await page.emulateMedia({ colorScheme: 'dark' });
});

test('the page works with the keyboard, and every control has a name', async () => {
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, [role=slider]')]
    .filter((control) => control.offsetParent !== null || control instanceof SVGElement)
    .filter((control) => !(control.getAttribute('aria-label') || control.textContent.trim() || control.title || (control.id && document.querySelector(`label[for="${control.id}"]`))))
    .map((control) => control.outerHTML.slice(0, 120)));
  assert.deepEqual(nameless, []);
  await page.locator('[role=menubar] button').first().focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'menuitem');
  await page.keyboard.press('Escape');
  await page.locator('[role=tree]').focus();
  const joint = await state(() => window.isochorStudio.studio.view.joint);
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await state(() => window.isochorStudio.studio.view.joint), joint);
});

test('opening and closing ten characters in a row does not grow the memory', async () => {
  const round = async (name) => {
    await page.evaluate(async (sample) => {
      await window.isochorStudio.studio.close();
      await window.isochorStudio.studio.open({ sample });
    }, name);
    await ready(name);
    await idle();
  };
  const measure = () => page.evaluate(async () => ({ module: await window.isochorStudio.studio.isochor.memory(), page: performance.memory.usedJSHeapSize }));
  const collect = async () => {
    const client = await context.newCDPSession(page);
    await client.send('HeapProfiler.collectGarbage');
    await client.detach();
  };
  const names = ['giraffe', 'cylinder', 'knight', 'cylinder3', 'giraffe'];
  for (const name of names) await round(name);
  await collect();
  const before = await measure();
  for (const name of [...names, ...names]) await round(name);
  await collect();
  const now = await measure();
  console.log(`# memory before and after ten characters: module ${before.module / 2 ** 20} and ${now.module / 2 ** 20} MiB, page ${(before.page / 2 ** 20).toFixed(1)} and ${(now.page / 2 ** 20).toFixed(1)} MiB`);
  assert.equal(now.module, before.module);
  assert.ok(now.page < before.page + 4 * 2 ** 20, `${before.page} to ${now.page}`);
});

test('no console error, no request to another host', () => {
  assert.deepEqual(faults, []);
});
