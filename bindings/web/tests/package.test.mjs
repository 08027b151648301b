// The package as others get it: packed, installed into an empty project, and its example in a browser.
//   node --test tests/package.test.mjs

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';

const here = fileURLToPath(new URL('..', import.meta.url));
const studio = join(here, '../../studio');
let project;

before(() => {
  project = mkdtempSync(join(tmpdir(), 'isochor-package-'));
  const npm = (cwd, ...args) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const [{ filename }] = JSON.parse(npm(here, 'pack', '--json', '--pack-destination', project));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  npm(project, 'install', '--no-audit', '--no-fund', '--silent', join(project, filename));
});
after(() => rmSync(project, { recursive: true, force: true }));

test('it holds code, types, the module and nothing of the repository', () => {
  const installed = join(project, 'node_modules/isochor');
  for (const name of ['dist/index.js', 'dist/index.d.ts', 'dist/worker.js', 'dist/isochor.wasm', 'README.md', 'example/index.html']) assert.ok(existsSync(join(installed, name)), name);
  for (const name of ['ts', 'src', 'tests', 'node_modules']) assert.ok(!existsSync(join(installed, name)), name);
});

test('a TypeScript program that uses it is checked against its types', () => {
  writeFileSync(join(project, 'use.ts'), `import { Isochor, type Frame } from 'isochor';
export async function volume(bytes: Uint8Array): Promise<number | undefined> {
  const isochor = await Isochor.start();
  const { character } = await isochor.open({ name: 'a.glb', bytes });
  const frame: Frame | null = await isochor.frame({ clip: character.clips.length - 1, time: 0, views: ['held'] });
  return frame?.views.held?.volume;
}
`);
  const tsc = join(here, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom', 'use.ts'], { cwd: project, stdio: 'inherit' });
});

test('its example has fewer than sixty lines, and corrects the elephant in a browser', async () => {
  const example = readFileSync(join(here, 'example/index.html'), 'utf8');
  assert.ok(example.split('\n').length < 60);
  writeFileSync(join(project, 'index.html'), example);
  cpSync(join(studio, 'node_modules/three'), join(project, 'node_modules/three'), { recursive: true });
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
  // Plain files, without the headers that isolate a page.
  const server = createServer((request, response) => {
    const file = join(project, normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)).replace(/^\/$/, '/index.html'));
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
  }).listen(0, '127.0.0.1');
  const { launch, openPage, shot, until } = await import(join(studio, 'tests/browser.mjs'));
  const browser = await launch();
  try {
    const { page, faults } = await openPage(browser, { width: 960, height: 600 });
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await until(page, () => Boolean(document.body.dataset.volume));
    await page.waitForTimeout(500);
    assert.match(await page.evaluate(() => document.body.dataset.volume), /^100\.000 %/);
    await page.locator('input[type=checkbox]').uncheck();
    await until(page, () => !document.body.dataset.volume.startsWith('100.000'));
    await shot(page, '20-example');
    // This page is not isolated: a busy worker cannot be told anything, so that another takes its place, with what was open.
    const stopped = await page.evaluate(async () => {
      const { Isochor } = await import('isochor');
      const isochor = await Isochor.start();
      await isochor.openSample('elephant');
      await isochor.setSettings({ default: { effect: 'rubber' } });
      const controller = new AbortController();
      const bind = isochor.bind({ method: 'gvb', resolution: 512 }, { signal: controller.signal }).then(() => 'done', (error) => error.kind);
      setTimeout(() => controller.abort(), 100);
      const kind = await bind;
      const frame = await isochor.frame({ clip: 0, time: 0.5, views: ['held'] });
      isochor.dispose();
      return { isolated: crossOriginIsolated, kind, volume: frame.views.held.volume };
    });
    assert.deepEqual([stopped.isolated, stopped.kind], [false, 'cancelled']);
    assert.ok(Math.abs(stopped.volume - 1) < 1e-9);
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
    server.close();
  }
});
