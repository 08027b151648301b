// The library for pages: every call is a promise, and all work happens in a worker.

import type { Args, Call, FromWorker, Method, Result, Start } from './protocol.js';
import {
  IsochorError,
  type BakeOptions, type BakeReport, type BindOptions, type BindReport, type Character, type Clip, type Falloffs, type Frame, type FrameRequest,
  type Library, type MotionReport, type NamedFile, type Opened, type Progress, type SettingsReport, type Turn, type VolumeSettings, type Volumes, type Voxels,
} from './types.js';

export interface StartOptions {
  /** Makes the worker, for pages that keep it elsewhere; without it, worker.js beside this file. */
  worker?: () => Worker;
  /** Where isochor.wasm is; without it, beside worker.js. */
  wasm?: string;
}

export interface JobOptions {
  onProgress?: Progress;
  /** Stops the work; the promise then rejects with kind 'cancelled', and nothing has changed. */
  signal?: AbortSignal;
}

interface Job {
  method: Method;
  args: unknown[];
  /** A newer job with the same key takes its place, as long as it has not begun. */
  key?: string;
  options: JobOptions;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** What would have to be done again in a new worker. */
interface Journal {
  open?: Pick<Job, 'method' | 'args'>;
  /** addMotion and removeClip, in their order: each counts on the clips before it. */
  clips: Pick<Job, 'method' | 'args'>[];
  bind?: unknown[];
  weigh?: unknown[];
  settings?: unknown[];
}

/** Work that takes long enough to be stopped on the way; all else is over before that would help. */
const long: readonly Method[] = ['open', 'openSample', 'bind', 'addMotion', 'voxels', 'bake'];

const cancelled = () => new IsochorError('cancelled', 'stopped, as asked');

export class Isochor {
  private worker!: Worker;
  private ready!: Promise<void>;
  private readonly stop: Int32Array | null;
  private readonly queue: Job[] = [];
  /** Done when nothing else is to be done. */
  private readonly background: Job[] = [];
  private running: (Job & { id: number }) | null = null;
  private journal: Journal = { clips: [] };
  private count = 0;

  private constructor(private readonly options: StartOptions) {
    // Only a page that is isolated (COOP and COEP headers) may share memory with its worker.
    const shared = typeof SharedArrayBuffer !== 'undefined' && globalThis.crossOriginIsolated;
    this.stop = shared ? new Int32Array(new SharedArrayBuffer(4)) : null;
    this.startWorker();
  }

  static async start(options: StartOptions = {}): Promise<Isochor> {
    const isochor = new Isochor(options);
    await isochor.ready;
    return isochor;
  }

  library(): Promise<Library> {
    return this.call('library', []);
  }

  /** One file, or a glTF with its buffers and images; `skeleton` is a file of joints (BVH, TGF, rig.txt …) for a mesh without. */
  open(files: NamedFile | NamedFile[], skeleton?: NamedFile, job: JobOptions = {}): Promise<Opened> {
    const given = Array.isArray(files) ? files : [files];
    const main = given.find((file) => /\.(glb|gltf)$/i.test(file.name)) ?? given.find((file) => !/\.(mtl|png|jpe?g|bin)$/i.test(file.name)) ?? given[0];
    if (!main) return Promise.reject(new IsochorError('bad_input', 'no file was given'));
    return this.call('open', [skeleton ? [...given, skeleton] : given, main.name, skeleton?.name ?? ''], job);
  }

  openSample(name: string, job: JobOptions = {}): Promise<Opened> {
    return this.call('openSample', [name], job);
  }

  close(): Promise<void> {
    return this.call('close', []);
  }

  inspect(): Promise<Character> {
    return this.call('inspect', []);
  }

  bind(options: BindOptions = {}, job: JobOptions = {}): Promise<BindReport> {
    return this.call('bind', [options], job);
  }

  /** null if a newer call took its place. */
  weigh(falloffs: Falloffs): Promise<{ seconds: Record<string, number> } | null> {
    return this.call('weigh', [falloffs], {}, 'weigh');
  }

  unbind(): Promise<void> {
    return this.call('unbind', []);
  }

  /** null if a newer call took its place. */
  setSettings(settings: VolumeSettings): Promise<SettingsReport | null> {
    return this.call('setSettings', [settings], {}, 'settings');
  }

  /** The turns that save() and bake() put into the clips: those of the last frame() with `turns`, unless this says others. */
  setTurns(turns: Turn[]): Promise<void> {
    return this.call('setTurns', [turns]);
  }

  /** null if a newer call took its place: only the last of many requests is worth an answer. */
  frame(request: FrameRequest): Promise<Frame | null> {
    return this.call('frame', [request], {}, 'frame');
  }

  /** Runs when nothing else is waiting. */
  volumes(clip: number, times: number[], job: JobOptions = {}): Promise<Volumes> {
    return this.enqueue(this.background, 'volumes', [clip, times], job);
  }

  voxels(resolution: number): Promise<Voxels> {
    return this.call('voxels', [resolution]);
  }

  addMotion(file: NamedFile, options: Record<string, number | string> = {}, job: JobOptions = {}): Promise<MotionReport> {
    return this.call('addMotion', [file, options], job);
  }

  removeClip(clip: number): Promise<Clip[]> {
    return this.call('removeClip', [clip]);
  }

  save(): Promise<Uint8Array> {
    return this.call('save', []);
  }

  bake(options: BakeOptions = {}, job: JobOptions = {}): Promise<{ report: BakeReport; glb: Uint8Array }> {
    return this.call('bake', [options], job);
  }

  /** Bytes of the worker's WebAssembly memory. */
  memory(): Promise<number> {
    return this.call('memory', []);
  }

  /** Ends the worker. What is under way is given up. */
  dispose(): void {
    this.worker.terminate();
    const jobs = [...this.queue.splice(0), ...this.background.splice(0), ...(this.running ? [this.running] : [])];
    this.running = null;
    for (const job of jobs) job.reject(cancelled());
  }

  private startWorker(): void {
    this.worker = this.options.worker?.() ?? new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    this.ready = new Promise((resolve, reject) => {
      let started = false;
      this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if ('ready' in data) {
          started = true;
          resolve();
        }
        else if ('failed' in data) reject(new IsochorError('unexpected', `the library could not be started: ${data.failed}`));
        else this.receive(data);
      };
      this.worker.onerror = ({ message }) => {
        if (!started) reject(new IsochorError('unexpected', `the worker could not be started: ${message}`));
        else this.replace(message);
      };
    });
    const start: Start = { start: true };
    if (this.options.wasm !== undefined) start.wasm = this.options.wasm;
    if (this.stop) start.stop = this.stop.buffer as SharedArrayBuffer;
    this.worker.postMessage(start);
  }

  // The result of a call with a key may be null.
  private call<M extends Method, R = Result<M>>(method: M, args: Args<M> | unknown[], options: JobOptions = {}, key?: string): Promise<R> {
    return this.enqueue(this.queue, method, args as unknown[], options, key);
  }

  private enqueue<R>(queue: Job[], method: Method, args: unknown[], options: JobOptions, key?: string): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      if (options.signal?.aborted) {
        reject(cancelled());
        return;
      }
      const job: Job = { method, args, options, resolve: resolve as (result: unknown) => void, reject };
      if (key !== undefined) {
        job.key = key;
        const stale = queue.findIndex((other) => other.key === key);
        if (stale >= 0) queue.splice(stale, 1)[0]?.resolve(null);
      }
      queue.push(job);
      options.signal?.addEventListener('abort', () => this.abort(job), { once: true });
      this.next();
    });
  }

  private next(): void {
    if (this.running) return;
    const job = this.queue.shift() ?? this.background.shift();
    if (!job) return;
    this.running = Object.assign(job, { id: this.count++ });
    if (this.stop) Atomics.store(this.stop, 0, 0);
    const call: Call = { id: this.running.id, method: job.method, args: job.args };
    this.worker.postMessage(call);
  }

  private receive(message: Exclude<FromWorker, { ready: true } | { failed: string }>): void {
    const job = this.running;
    if (!job || message.id !== job.id) return;
    if ('progress' in message) {
      job.options.onProgress?.(message.progress.stage, message.progress.fraction);
      return;
    }
    if ('error' in message && message.error.kind === 'crashed') {
      this.replace(message.error.sentence);
      return;
    }
    this.running = null;
    if ('error' in message) {
      job.reject(new IsochorError(message.error.kind, message.error.sentence));
    } else {
      this.note(job);
      job.resolve(message.result);
    }
    this.next();
  }

  private note({ method, args }: Job): void {
    if (method === 'open' || method === 'openSample') this.journal = { open: { method, args }, clips: [] };
    if (method === 'close') this.journal = { clips: [] };
    if (method === 'addMotion' || method === 'removeClip') this.journal.clips.push({ method, args });
    if (method === 'bind') {
      this.journal.bind = args;
      delete this.journal.weigh;
    }
    if (method === 'weigh') this.journal.weigh = args;
    if (method === 'unbind') {
      delete this.journal.bind;
      delete this.journal.weigh;
    }
    if (method === 'setSettings') this.journal.settings = args;
  }

  private abort(job: Job): void {
    for (const queue of [this.queue, this.background]) {
      const at = queue.indexOf(job);
      if (at >= 0) {
        queue.splice(at, 1);
        job.reject(cancelled());
        return;
      }
    }
    if (this.running !== job) return;
    if (!long.includes(job.method)) {
      job.reject(cancelled());
    } else if (this.stop) {
      Atomics.store(this.stop, 0, 1);
    } else {
      void this.restart();
    }
  }

  /** The worker broke down: what was asked of it last is refused, and a new one goes on. */
  private replace(sentence: string): void {
    this.running?.reject(new IsochorError('crashed', `the library broke down: ${sentence}`));
    void this.restart();
  }

  /**
   * Without shared memory nothing reaches a busy worker, and one whose module broke down is of no more use: a new one takes
   * its place, and gets what was open.
   */
  private async restart(): Promise<void> {
    const job = this.running;
    this.worker.terminate();
    this.startWorker();
    job?.reject(cancelled());
    const { open, clips, bind, weigh, settings } = this.journal;
    this.journal = { clips: [] };  // noted anew as it is done again: what breaks down then is not tried for ever
    const again: [Method, unknown[]][] = [];
    if (open) again.push([open.method, open.args]);
    for (const { method, args } of clips) again.push([method, args]);
    if (settings) again.push(['setSettings', settings]);
    if (bind) again.push(['bind', bind]);
    if (bind && weigh) again.push(['weigh', weigh]);
    const jobs = again.map(([method, args]): Job => ({ method, args, options: {}, resolve: () => {}, reject: () => {} }));
    this.queue.unshift(...jobs);
    try {
      await this.ready;
    } catch (error) {
      for (const waiting of [...this.queue.splice(0), ...this.background.splice(0)]) waiting.reject(error);
    }
    this.running = null;
    this.next();
  }
}
