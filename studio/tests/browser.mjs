// Debian's Chromium and a running `isochor studio`, for all tests.

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const shots = join(root, 'build/studio-shots');
export const program = process.env.ISOCHOR_PROGRAM ?? join(root, 'build/app/cli/isochor');

/** Serves the page; gives its address and a way to end it. */
export function serve(...args) {
  const page = args.includes('--page') ? [] : ['--page', join(root, 'build/studio')];
  const child = spawn(program, ['studio', '--no-open', ...page, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let text = '', errors = '';
    const ended = new Promise((end) => child.on('exit', (code, signal) => end({ code, signal, errors })));
    child.stderr.on('data', (chunk) => { errors += chunk; });
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const line = text.indexOf('\n');
      if (line >= 0) resolve({ address: text.slice(0, line), ended, child, end: () => { child.kill('SIGINT'); return ended; } });
    });
    ended.then(({ code }) => reject(new Error(`the studio ended with ${code}: ${errors}`)));
  });
}

export async function launch() {
  const executablePath = process.env.ISOCHOR_CHROMIUM ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--no-sandbox', '--enable-precise-memory-info'] });
}

/** A page in which every console error and every request to another host is a failure. */
export async function openPage(browser, { width = 1280, height = 720, colorScheme = 'dark', host } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, acceptDownloads: true });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => { if (message.type() === 'error') faults.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => faults.push(`page: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['blob:', 'data:'].includes(url.protocol) && host !== undefined && url.host !== host) faults.push(`request to ${url.href}`);
  });
  return { page, context, faults };
}

export async function shot(page, name) {
  mkdirSync(shots, { recursive: true });
  await page.waitForTimeout(150);
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

/** Asks the page until it says yes. (Playwright's own waiting makes code of text, which the page's policy forbids.) */
export async function until(page, test, timeout = 60_000) {
  for (const end = Date.now() + timeout; Date.now() < end; await page.waitForTimeout(30)) if (await page.evaluate(test)) return;
  throw new Error(`this did not come true: ${test}`);
}
