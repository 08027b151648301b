// What goes in and what comes out. The C++ side of the same is in src/report.cpp and src/engine.cpp.

/** Linear blend skinning, dual quaternion skinning, and the skin with its volume held. */
export type ViewName = 'lbs' | 'dqs' | 'held';
export const viewNames: readonly ViewName[] = ['lbs', 'dqs', 'held'];

/** What is painted on the skin: see FrameRequest. */
export type PaintName = 'none' | 'weight' | 'joints' | 'gamma' | 'displacement';

export interface NamedFile {
  name: string;
  bytes: Uint8Array;
}

/** What a library's option is: its name, range and a sentence that says what the user will see. */
export interface Field {
  name: string;
  help: string;
  unit: string;
  expert: boolean;
  min?: number;
  max?: number;
  value?: number | string | boolean | string[];
  choices?: string[];
}

export interface EffectInfo {
  name: EffectName;
  /** Those of EffectSettings that mean something to it. */
  fields: string[];
  direction: 'normal' | 'axes';
  mu: Triple;
  sigma: Triple;
  center: number;
  frequency: number;
  gain: number;
  distance_gain: number;
  min_share: [number, number];
  side: Side;
}

export interface Library {
  version: string;
  samples: { name: string; description: string }[];
  bind: Field[];
  volume: Field[];
  effect: Field[];
  bake: Field[];
  motion: Field[];
  effects: EffectInfo[];
}

export interface Problem {
  severity: 'note' | 'warning' | 'error';
  code: string;
  sentence: string;
  count: number;
  /** What `elements` are: indices of joints, of vertices over all parts, or something that cannot be shown. */
  kind: 'joint' | 'vertex' | 'other';
  elements: number[];
}

/** A mesh of the file. `primitives` say which of the character's vertices a primitive of the glTF draws. */
export interface Part {
  name: string;
  first: number;
  vertices: number;
  faces: number;
  skinned: boolean;
  node: number;
  mesh: number;
  primitives: { primitive: number; first: number; vertices: number }[];
}

export interface Joint {
  name: string;
  parent: number;
  deforms: boolean;
  /** Whether skin bends here, so that the joint can have an effect. */
  bends: boolean;
  color: Triple;
  tail?: Triple;
}

export interface Clip {
  name: string;
  start: number;
  duration: number;
  keys: number;
}

export interface Character {
  name: string;
  vertices: number;
  welded_vertices: number;
  faces: { triangles: number; quads: number; polygons: number };
  parts: Part[];
  components: { count: number; closed: number; measured: number };
  deforming: number;
  joints: Joint[];
  clips: Clip[];
  size: number;
  problems: Problem[];
  settings: VolumeSettings;
}

export interface Opened {
  character: Character;
  /** The character as one GLB, for a viewer. Its vertices are those of Part.primitives. */
  glb: Uint8Array;
}

/** Falloff α: globally, and by joint name or pattern. */
export interface Falloffs {
  falloff: number;
  joints: [string, number][];
  /** More will follow at once, as while a slider is dragged: quicker, and the bulges keep their places until a call without it. */
  draft?: boolean;
}

/** Any of Library.bind by name, and `joint-falloff`. */
export type BindOptions = Record<string, number | string | boolean | string[] | [string, number][]>;

export interface BindReport {
  vertices: number;
  bound: number;
  joints: number;
  resolution: number;
  resolution_reason: string;
  voxels: { uniform: number; sparse: number };
  fallbacks: { across_gap: number; joints_outside: number };
  problems: Problem[];
  seconds: Record<string, number>;
}

export type Triple = [number, number, number];
export type Side = 'flexor' | 'extensor' | 'both';
export type EffectName =
  | 'blend' | 'isotropic' | 'rubber' | 'muscle' | 'folds' | 'belly' | 'skin' | 'organic' | 'curve' | 'painted' | 'combined';
export type CurvePoint = [number, number];

/** One effect, as docs/volume.md has it. Fields that are left out are the effect's own defaults. */
export interface EffectSettings {
  effect?: EffectName;
  direction?: 'normal' | 'axes';
  mu?: Triple;
  sigma?: Triple | number;
  frequency?: number;
  center?: number;
  side?: Side;
  gain?: number;
  distance_gain?: number;
  min_share?: [number, number] | number;
  x?: CurvePoint[];
  y?: CurvePoint[];
  z?: CurvePoint[];
  map?: string;
  combine?: 'product' | 'sum' | 'blend';
  maps?: EffectSettings[];
  mix?: number[];
}

/** The settings file of docs/volume.md. */
export interface VolumeSettings {
  default?: EffectSettings;
  joints?: Record<string, EffectSettings>;
  solver?: 'exact' | 'three-step' | 'linear';
  treatment?: 'together' | 'sequence';
  norm?: 'area' | 'vertex';
  /** What becomes of faces that a correction would turn over. */
  faces?: 'free' | 'keep';
  stiffness?: number;
  smoothness?: number;
  reach?: number;
  /** The volume to keep over seconds: breathing. */
  volume?: CurvePoint[];
}

/** A rotation on top of the pose, in the joint's own space: joint, x, y, z, w. */
export type Turn = [number, number, number, number, number];

export interface FrameRequest {
  /** -1: the rest pose. */
  clip: number;
  time: number;
  views: ViewName[];
  turns?: Turn[];
  /** weight: of `joint`; joints: every joint in its colour; gamma: where `joint` (-1: any) gives volume; displacement: in boxes. */
  paint?: PaintName;
  joint?: number;
  normals?: boolean;
  /** The moment comes soon after the last one, as while a clip plays. */
  follows?: boolean;
}

export interface ShownView {
  /** x0 y0 z0 x1 … of all parts' vertices, one part after another. */
  positions: Float32Array;
  normals: Float32Array;
  /** Relative to what the character should have: 1 if nothing was lost. */
  volume: number;
  milliseconds: number;
  /** Why this deformer cannot show the pose; it is then shown by linear blending. */
  failure?: string;
}

export interface Frame {
  views: Partial<Record<ViewName, ShownView>>;
  /** 16 numbers for each joint, by columns: joint to world. */
  joints: Float32Array;
  /** One number for each vertex, three for paint 'joints', none for 'none'. */
  paint: Float32Array;
  max_displacement: number;
}

export type Volumes = Record<ViewName, (number | null)[]>;

export interface Voxels {
  positions: Float32Array;
  indices: Uint32Array;
  boundary: number;
  interior: number;
}

export interface MotionReport {
  clip: number;
  name: string;
  matched: number;
  unmatched_source: string[];
  unmatched_target: string[];
  problems: Problem[];
  clips: Clip[];
}

export interface BakeOptions {
  form?: 'morphs' | 'frames';
  clips?: number[];
  'bake-targets'?: number;
  'bake-tolerance'?: number;
  between?: number;
}

export interface BakeReport {
  frames: number;
  targets: number;
  keys: number;
  bytes: number;
  max_error_before: number;
  max_error_after: number;
  problems: Problem[];
}

export interface SettingsReport {
  settings: VolumeSettings;
  problems: Problem[];
}

export type Progress = (stage: string, fraction: number) => void;

/** The library's own sentence, and what kind of error it is. */
export class IsochorError extends Error {
  constructor(readonly kind: string, sentence: string) {
    super(sentence);
    this.name = 'IsochorError';
  }
}
