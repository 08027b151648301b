// The WebAssembly module as emscripten makes it (src/module.cpp).

export interface RawEngine {
  library(): string;
  open(file: string, skeleton: string): string;
  sample(name: string): string;
  close(): void;
  inspect(): string;
  bind(options: string): string;
  weigh(falloffs: string): string;
  unbind(): string;
  setSettings(text: string): string;
  setTurns(turns: string): string;
  frame(request: string): string;
  volumes(request: string): string;
  voxels(resolution: number): string;
  addMotion(file: string, options: string): string;
  removeClip(clip: number): string;
  save(): string;
  bake(options: string): string;
  positions(view: number): Float32Array;
  normals(view: number): Float32Array;
  joints(): Float32Array;
  paint(): Float32Array;
  voxelPositions(): Float32Array;
  voxelIndices(): Uint32Array;
  bytes(): Uint8Array;
  delete(): void;
}

export interface RawHooks {
  progress(stage: string, fraction: number): void;
  stop(): boolean;
}

export interface RawModule {
  Engine: new (hooks: RawHooks) => RawEngine;
  FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, bytes: Uint8Array): void;
    readdir(path: string): string[];
    unlink(path: string): void;
    rmdir(path: string): void;
  };
  HEAPU8: Uint8Array;
}

export type CreateModule = (options: { wasmBinary?: ArrayBuffer | Uint8Array; locateFile?: (name: string) => string }) => Promise<RawModule>;
