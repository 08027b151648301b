// The benchmark page in Chromium, and the size of a first visit: node bench.mjs

import { readdirSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { launch, openPage, root, serve, until } from './browser.mjs';

const [browser, server] = [await launch(), await serve()];
const { page, faults } = await openPage(browser, { host: new URL(server.address).host });
await page.goto(new URL('bench.html', server.address).href);
await page.waitForSelector('body[data-result]', { timeout: 300_000 });
const result = JSON.parse(await page.locator('body').getAttribute('data-result'));

// What a first visit loads, compressed as the server sends it: the page, its worker and the module.
const visit = await openPage(browser, { host: new URL(server.address).host });
const urls = new Set();
visit.context.on('request', (request) => urls.add(request.url()));
await visit.page.goto(server.address);
await visit.page.waitForSelector('.sample');
await visit.page.waitForTimeout(500);
const sizeOf = (url) => new Promise((resolve, reject) => get(url, { headers: { 'Accept-Encoding': 'br, gzip' } }, (response) => {
  let bytes = 0;
  response.on('data', (chunk) => { bytes += chunk.length; }).on('end', () => resolve(bytes));
}).on('error', reject));
for (const name of readdirSync(join(root, 'build/studio/assets'))) if (/^worker-.*\.js$|\.wasm$/.test(name)) urls.add(new URL(`assets/${name}`, server.address).href);
const sizes = await Promise.all([...urls].filter((url) => url.startsWith('http')).map(sizeOf));
result.first_load_mb = sizes.reduce((sum, size) => sum + size, 0) / 1e6;

// The longest task of the page while a joint is dragged, five times.
await visit.page.goto(`${server.address}#sample=elephant`);
await visit.page.reload();
await until(visit.page, () => document.body.dataset.ready === 'elephant');
await visit.page.getByTestId('tab-pose').click();
await visit.page.waitForTimeout(2500);
await visit.page.evaluate(() => {
  window.longest = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration); }).observe({ entryTypes: ['longtask'] });
});
const slider = await visit.page.getByTestId('turn-Y').locator('input[type=range]').boundingBox();
for (let round = 0; round < 5; ++round) {
  await visit.page.mouse.move(slider.x + slider.width / 2, slider.y + slider.height / 2);
  await visit.page.mouse.down();
  for (let i = 0; i < 40; ++i) await visit.page.mouse.move(slider.x + slider.width * (0.5 + 0.3 * Math.sin(i / 6)), slider.y + slider.height / 2);
  await visit.page.mouse.up();
  await visit.page.waitForTimeout(300);
}
result.drag_longest_task_ms = await visit.page.evaluate(() => window.longest);
console.log(Object.entries(result).map(([name, value]) => `${name.padEnd(30)} ${Number(value).toFixed(2)}`).join('\n'));
if (faults.length + visit.faults.length > 0) console.log([...faults, ...visit.faults].join('\n'));
await browser.close();
await server.end();
