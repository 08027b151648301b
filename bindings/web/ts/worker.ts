// The worker: makes the engine and runs one call after another.

// @ts-expect-error emscripten's output has no types of its own
import createModule from './isochor.js';
import { Engine } from './engine.js';
import type { CreateModule } from './module.js';
import type { Call, FromWorker, Start } from './protocol.js';
import { IsochorError } from './types.js';

const post = (message: FromWorker, transfer: Transferable[] = []) => (self as unknown as Worker).postMessage(message, transfer);

let engine: Engine;
let running = -1;

async function start({ wasm, stop }: Start): Promise<void> {
  const flag = stop ? new Int32Array(stop) : null;
  const module = await (createModule as CreateModule)({ locateFile: () => wasm ?? new URL('./isochor.wasm', import.meta.url).href });
  engine = new Engine(module, {
    progress: (stage, fraction) => post({ id: running, progress: { stage, fraction } }),
    stop: () => flag !== null && Atomics.load(flag, 0) !== 0,
  });
  post({ ready: true });
}

/** Arrays are handed over, not copied. */
function buffers(value: unknown, found: Set<ArrayBuffer> = new Set()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) buffers(inner, found);
  }
  return found;
}

function run({ id, method, args }: Call): void {
  running = id;
  try {
    const result: unknown = (engine[method] as (...given: unknown[]) => unknown)(...args);
    post({ id, result }, [...buffers(result)]);
  } catch (error) {
    // After a trap nothing that the module holds can be relied on.
    const trapped = error instanceof WebAssembly.RuntimeError;
    const kind = error instanceof IsochorError ? error.kind : trapped ? 'crashed' : 'unexpected';
    post({ id, error: { kind, sentence: error instanceof Error ? error.message : String(error) } });
  }
}

self.onmessage = ({ data }: MessageEvent<Start | Call>) => {
  if ('start' in data) {
    start(data).catch((error: unknown) => post({ failed: error instanceof Error ? error.message : String(error) }));
  } else {
    run(data);
  }
};
