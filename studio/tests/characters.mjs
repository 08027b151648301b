// Every GLB of a folder in the browser: it opens, shows what `isochor inspect` lists, binds, and plays.
//
//   node characters.mjs FOLDER
//
// Exit codes: 0 all of them, 1 not all, 77 no folder.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { launch, openPage, program, serve, until } from './browser.mjs';

const folder = process.argv[2];
if (!folder || !existsSync(folder)) process.exit(77);
const files = readdirSync(folder, { recursive: true }).map(String).filter((name) => name.endsWith('.glb')).sort().map((name) => join(folder, name));

const [browser, server] = [await launch(), await serve()];
const { page, faults } = await openPage(browser, { host: new URL(server.address).host });
await page.goto(server.address);
await page.waitForSelector('body[data-started=yes]');
let failed = 0;

/** Opens a file as if it had been dropped, binds and plays it; gives what the page shows. */
async function tryFile(file) {
  await page.evaluate(async ([name, text]) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], name));
    delete document.body.dataset.ready;
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: data }));
  }, [basename(file), readFileSync(file).toString('base64')]);
  await until(page, () => Boolean(document.body.dataset.ready || document.querySelector('.message.error')), 120_000);
  return page.evaluate(async () => {
    const { studio } = window.isochorStudio;
    const { character } = studio;
    const errors = () => [...document.querySelectorAll('.message.error')].map((box) => box.innerText);
    const opened = errors();
    const wait = (test) => new Promise((resolve) => { const look = () => (test() ? resolve() : setTimeout(look, 20)); look(); });
    const shown = { vertices: character.vertices, welded: character.welded_vertices, joints: character.deforming, parts: character.parts.length, components: character.components.count, clips: character.clips.map((clip) => clip.name) };
    if (opened.length > 0) return { opened, shown };
    studio.change('Bind', { bind: {} });
    const boxes = errors().length;
    await wait(() => studio.report || errors().length > boxes);
    const bound = studio.report ? { vertices: studio.report.vertices, bound: studio.report.bound } : { sentence: errors().pop() };
    let volume = null;
    if (studio.clips.length > 0) {
      studio.look({ clip: 0, time: studio.clips[0].start });
      studio.play(true);
      await new Promise((resolve) => setTimeout(resolve, 300));
      studio.play(false);
      studio.seek(studio.clips[0].start + 0.4 * studio.clips[0].duration);
      const before = studio.lastFrame;
      await wait(() => studio.lastFrame !== before);
      volume = studio.lastFrame.views.held.volume;
    }
    for (const box of document.querySelectorAll('.message')) box.remove();
    return { opened, shown, bound, volume };
  });
}

for (const file of files) {
  const inspected = JSON.parse(execFileSync(program, ['inspect', file, '--json'], { encoding: 'utf8', maxBuffer: 1 << 26 }));
  const { opened, shown, bound, volume } = await tryFile(file);
  const expected = { vertices: inspected.vertices, welded: inspected.welded_vertices, joints: inspected.joints, parts: inspected.parts.length, components: inspected.components.length, clips: inspected.clips.map((clip) => clip.name) };
  const same = JSON.stringify(shown) === JSON.stringify(expected);
  const bindable = inspected.joints > 0 && inspected.vertices > 0;
  const fine = opened.length === 0 && same && (bindable ? bound.bound === bound.vertices && bound.bound > 0 : Boolean(bound.sentence)) && (volume === null || Number.isFinite(volume));
  if (!fine) {
    ++failed;
    console.log(`      shows ${JSON.stringify(shown)}, inspect says ${JSON.stringify(expected)}`);
  }
  console.log(`${fine ? 'ok  ' : 'FAIL'} ${basename(file)}: ${shown.vertices} vertices, ${shown.joints} joints, ${shown.clips.length} clips; ${opened.join(' ') || (bound.sentence ?? `${bound.bound} bound`)}${volume === null ? '' : `; volume ${(100 * volume).toFixed(4)} %`}`);
}
if (faults.length > 0) console.log(faults.join('\n'));
await browser.close();
await server.end();
console.log(`${files.length} files, ${failed} failed`);
process.exit(failed + faults.length > 0 ? 1 : 0);
