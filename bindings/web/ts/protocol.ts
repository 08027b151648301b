// What the page and its worker say to each other.

import type { Engine } from './engine.js';

/** The calls of Engine, as `method` and `args`. */
export type Method = 'library' | 'open' | 'openSample' | 'close' | 'inspect' | 'bind' | 'weigh' | 'unbind' | 'setSettings' | 'setTurns' | 'frame'
  | 'volumes' | 'voxels' | 'addMotion' | 'removeClip' | 'save' | 'bake' | 'memory';

export type Args<M extends Method> = Parameters<Engine[M]>;
export type Result<M extends Method> = ReturnType<Engine[M]>;

export interface Call {
  id: number;
  method: Method;
  args: unknown[];
}

/** Sent once, before any call. `stop` is shared where the page is isolated: a number other than 0 stops the work. */
export interface Start {
  start: true;
  wasm?: string;
  stop?: SharedArrayBuffer;
}

export type FromWorker =
  | { ready: true }
  | { failed: string }
  | { id: number; progress: { stage: string; fraction: number } }
  | { id: number; result: unknown }
  | { id: number; error: { kind: string; sentence: string } };
