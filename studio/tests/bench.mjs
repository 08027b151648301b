// The benchmark page in Chromium, and the size of a first visit: node bench.mjs

import { launch, openPage, serve } from './browser.mjs';

const [browser, server] = [await launch(), await serve()];
const { page, faults } = await openPage(browser, { host: new URL(server.address).host });
await page.goto(new URL('bench.html', server.address).href);
await page.waitForSelector('body[data-result]', { timeout: 300_000 });
const result = JSON.parse(await page.locator('body').getAttribute('data-result'));

// What comes over the wire until the start screen is there, compressed as the server sends it.
const visit = await openPage(browser, { host: new URL(server.address).host });
const client = await visit.context.newCDPSession(visit.page);
await client.send('Network.enable');
let bytes = 0;
client.on('Network.loadingFinished', ({ encodedDataLength }) => { bytes += encodedDataLength; });
await visit.page.goto(server.address);
await visit.page.waitForSelector('.sample');
await visit.page.waitForTimeout(500);
result.first_load_mb = bytes / 1e6;
console.log(Object.entries(result).map(([name, value]) => `${name.padEnd(30)} ${Number(value).toFixed(2)}`).join('\n'));
if (faults.length + visit.faults.length > 0) console.log([...faults, ...visit.faults].join('\n'));
await browser.close();
await server.end();
