// The library in the thread that calls it. Pages use it through a worker (client.ts); Node may use it directly.

import type { RawEngine, RawModule } from './module.js';
import {
  IsochorError, viewNames,
  type BakeOptions, type BakeReport, type BindOptions, type BindReport, type Character, type Clip, type Falloffs, type Frame, type FrameRequest,
  type Library, type MotionReport, type NamedFile, type Opened, type Progress, type SettingsReport, type ShownView, type Turn, type ViewName,
  type VolumeSettings, type Volumes, type Voxels,
} from './types.js';

export interface EngineHooks {
  progress?: Progress;
  /** Asked now and then during long work. */
  stop?: () => boolean;
}

/** Files of one call, in a folder of their own that is gone afterwards. Names may have folders, as those in a glTF do. */
class Folder {
  private static count = 0;
  private readonly path = `/files/${Folder.count++}`;
  private readonly written = new Set<string>();
  private readonly folders = new Set<string>();

  constructor(private readonly module: RawModule) {}

  write(files: NamedFile[]): void {
    this.makeFolder(this.path);
    for (const { name, bytes } of files) {
      const path = this.file(name);
      if (this.written.has(path)) throw new IsochorError('bad_input', `there are two files called ${name}`);
      for (let at = path.indexOf('/', this.path.length + 1); at >= 0; at = path.indexOf('/', at + 1)) this.makeFolder(path.slice(0, at));
      this.written.add(path);
      this.module.FS.writeFile(path, bytes);
    }
  }

  /** No name leads out of the folder. */
  file(name: string): string {
    return [this.path, ...name.split('/').filter((part) => !['', '.', '..'].includes(part))].join('/');
  }

  remove(): void {
    // What could not be written is not there.
    const quietly = (work: () => void) => { try { work(); } catch { /* nothing to remove */ } };
    for (const path of this.written) quietly(() => this.module.FS.unlink(path));
    for (const path of [...this.folders].reverse()) quietly(() => this.module.FS.rmdir(path));
  }

  private makeFolder(path: string): void {
    if (this.folders.has(path)) return;
    this.module.FS.mkdirTree(path);
    this.folders.add(path);
  }
}

export class Engine {
  private readonly raw: RawEngine;
  private lastTurns = '[]';

  constructor(private readonly module: RawModule, hooks: EngineHooks = {}) {
    this.raw = new module.Engine({
      progress: (stage, fraction) => hooks.progress?.(stage, fraction),
      stop: () => hooks.stop?.() ?? false,
    });
  }

  library(): Library {
    return this.read(this.raw.library());
  }

  /** `main` is the one of the files to open; the others belong to it. `skeleton` may name another one of them. */
  open(files: NamedFile[], main: string, skeleton = ''): Opened {
    return this.withFiles(files, (folder) =>
      this.opened(this.raw.open(folder.file(main), skeleton === '' ? '' : folder.file(skeleton))));
  }

  openSample(name: string): Opened {
    return this.opened(this.raw.sample(name));
  }

  close(): void {
    this.raw.close();
    this.lastTurns = '[]';
  }

  inspect(): Character {
    return this.read(this.raw.inspect());
  }

  bind(options: BindOptions): BindReport {
    return this.read(this.raw.bind(JSON.stringify(options)));
  }

  /** Weights for other falloffs, from the distances that bind() measured. */
  weigh(falloffs: Falloffs): { seconds: Record<string, number> } {
    return this.read(this.raw.weigh(JSON.stringify(falloffs)));
  }

  /** Back to the weights of the file. */
  unbind(): void {
    this.read(this.raw.unbind());
  }

  setSettings(settings: VolumeSettings | string): SettingsReport {
    return this.read(this.raw.setSettings(typeof settings === 'string' ? settings : JSON.stringify(settings)));
  }

  setTurns(turns: Turn[]): void {
    const text = JSON.stringify(turns);
    if (text === this.lastTurns) return;
    this.read(this.raw.setTurns(text));
    this.lastTurns = text;
  }

  frame(request: FrameRequest): Frame {
    const { turns, ...rest } = request;
    if (turns) this.setTurns(turns);
    const answer = this.read<{ views: Record<ViewName, Omit<ShownView, 'positions' | 'normals'>>; max_displacement: number }>(
      this.raw.frame(JSON.stringify(rest)));
    const views: Frame['views'] = {};
    for (const name of request.views) {
      const view = viewNames.indexOf(name);
      views[name] = { ...answer.views[name], positions: this.raw.positions(view).slice(), normals: this.raw.normals(view).slice() };
    }
    return { views, joints: this.raw.joints().slice(), paint: this.raw.paint().slice(), max_displacement: answer.max_displacement };
  }

  volumes(clip: number, times: number[]): Volumes {
    return this.read(this.raw.volumes(JSON.stringify({ clip, times })));
  }

  /** The voxels that the surface touches, in the bind pose. */
  voxels(resolution: number): Voxels {
    const counts = this.read<{ boundary: number; interior: number }>(this.raw.voxels(resolution));
    return { ...counts, positions: this.raw.voxelPositions().slice(), indices: this.raw.voxelIndices().slice() };
  }

  /** A motion (BVH, or a clip of any other file), brought onto the character as a new clip. */
  addMotion(file: NamedFile, options: Record<string, number | string> = {}): MotionReport {
    return this.withFiles([file], (folder) => this.read(this.raw.addMotion(folder.file(file.name), JSON.stringify(options))));
  }

  removeClip(clip: number): Clip[] {
    return this.read(this.raw.removeClip(clip));
  }

  /** The character as GLB, with the weights, clips and settings that it has now. */
  save(): Uint8Array {
    this.read(this.raw.save());
    return this.raw.bytes().slice();
  }

  /** The same with its clips' volume held by morph targets: it plays in any viewer. */
  bake(options: BakeOptions = {}): { report: BakeReport; glb: Uint8Array } {
    const report = this.read<BakeReport>(this.raw.bake(JSON.stringify(options)));
    return { report, glb: this.raw.bytes().slice() };
  }

  /** Bytes of the module's memory: it grows with the largest character, and never shrinks. */
  memory(): number {
    return this.module.HEAPU8.byteLength;
  }

  private opened(text: string): Opened {
    const character = this.read<Character>(text);
    this.lastTurns = '[]';
    return { character, glb: this.raw.bytes().slice() };
  }

  private withFiles<T>(files: NamedFile[], work: (folder: Folder) => T): T {
    const folder = new Folder(this.module);
    try {
      folder.write(files);
      return work(folder);
    } finally {
      folder.remove();
    }
  }

  private read<T>(text: string): T {
    const answer = JSON.parse(text) as { error?: { kind: string; sentence: string } };
    // The library names the file by its path in memory, of which the page knows the last part alone.
    if (answer.error) throw new IsochorError(answer.error.kind, answer.error.sentence.replaceAll(/\/files\/\d+\//g, ''));
    return answer as T;
  }
}
