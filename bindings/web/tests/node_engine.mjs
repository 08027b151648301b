// The engine in Node, without a worker.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// The module was built for workers, and looks where it was loaded from.
globalThis.self ??= { location: { href: '' } };

export async function makeEngine(hooks) {
  const dist = new URL('../dist/', import.meta.url);
  const { default: createModule } = await import(new URL('isochor.js', dist));
  const { Engine } = await import(new URL('engine.js', dist));
  const module = await createModule({ wasmBinary: await readFile(fileURLToPath(new URL('isochor.wasm', dist))) });
  return new Engine(module, hooks);
}
