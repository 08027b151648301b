// `isochor studio`: who is answered, with what headers, and how it ends. node --test tests/server.test.mjs

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { program, serve } from './browser.mjs';

let folder, server, port;

/** Paths go out as they are: fetch() would tidy them up. */
function get(path, { host = `127.0.0.1:${port}`, method = 'GET', accept = 'identity' } = {}) {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers: { Host: host, 'Accept-Encoding': accept } }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString('latin1') }));
    }).on('error', reject).end();
  });
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isochor-server-'));
  mkdirSync(join(folder, 'page'));
  writeFileSync(join(folder, 'page/index.html'), '<title>page</title>');
  writeFileSync(join(folder, 'page/a.wasm'), '\0asm');
  writeFileSync(join(folder, 'page/b.wasm'), 'plain');
  writeFileSync(join(folder, 'page/b.wasm.gz'), 'packed');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'page/link.txt'));
  spawnSync(program, ['sample', 'cylinder', '-o', join(folder, 'cylinder one.glb'), '--quiet']);
  server = await serve(join(folder, 'cylinder one.glb'), '--page', join(folder, 'page'));
  port = new URL(server.address).port;
});
after(() => rmSync(folder, { recursive: true }));

test('it serves its page with the headers that isolate it', async () => {
  const { status, headers, text } = await get('/');
  assert.equal(status, 200);
  assert.match(text, /<title>page/);
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
  assert.equal(headers['cross-origin-embedder-policy'], 'require-corp');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.match(headers['content-security-policy'], /default-src 'none'/);
  assert.equal((await get('/a.wasm')).headers['content-type'], 'application/wasm');
});

test('a compressed copy goes to those who can unpack it', async () => {
  const packed = await get('/b.wasm', { accept: 'gzip, deflate, br' }), plain = await get('/b.wasm');
  assert.deepEqual([packed.headers['content-encoding'], packed.headers['content-type'], packed.text], ['gzip', 'application/wasm', 'packed']);
  assert.deepEqual([plain.headers['content-encoding'], plain.text], [undefined, 'plain']);
});

test('the file of the command line is beside it', async () => {
  assert.match(server.address, /#open=open\/files\.json$/);
  const names = JSON.parse((await get('/open/files.json')).text);
  assert.deepEqual(names, ['cylinder one.glb']);
  const file = await get(`/open/${encodeURIComponent(names[0])}`);
  assert.equal(file.status, 200);
  assert.equal(file.text.slice(0, 4), 'glTF');
});

test('other hosts are refused, and so is everything but reading', async () => {
  assert.equal((await get('/', { host: 'evil.example' })).status, 403);
  assert.equal((await get('/', { host: `evil.example:${port}` })).status, 403);
  assert.equal((await get('/', { host: `localhost:${port}` })).status, 200);
  assert.equal((await get('/', { method: 'POST' })).status, 405);
});

test('no path leads out of the page', async () => {
  for (const path of ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/a/../../secret.txt', '/link.txt', '//etc/passwd', '/%00']) {
    const { status, text } = await get(path);
    assert.notEqual(status, 200, path);
    assert.ok(!text.includes('secret') && !text.includes('root:'), path);
  }
});

test('other addresses of this machine do not answer', async () => {
  // All of 127.0.0.0/8 is this machine: a server at every address would answer here, too.
  const answer = await new Promise((resolve) => {
    request({ host: '127.0.0.2', port, headers: { Host: `127.0.0.1:${port}` } }, () => resolve('answered')).on('error', (error) => resolve(error.code)).end();
  });
  assert.equal(answer, 'ECONNREFUSED');
});

test('a port that is in use, a missing page and a broken file get a sentence and exit code 2', () => {
  const run = (...args) => spawnSync(program, ['studio', '--no-open', ...args], { encoding: 'utf8', timeout: 20_000 });
  const page = join(folder, 'page');
  const used = run('--page', page, '--port', port);
  assert.equal(used.status, 2);
  assert.match(used.stderr, new RegExp(`port ${port} is in use`));
  assert.equal(run('--page', join(folder, 'nowhere')).status, 2);
  writeFileSync(join(folder, 'broken.glb'), 'glTF');
  assert.equal(run(join(folder, 'broken.glb'), '--page', page).status, 2);
});

test('Ctrl-C ends it cleanly', async () => {
  const { code, signal, errors } = await server.end();
  assert.deepEqual([code, signal, errors], [0, null, '']);
});
