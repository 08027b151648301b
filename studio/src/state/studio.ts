// What is open, what was done to it, and what the library was last told.

import { Isochor, IsochorError, type BindReport, type Character, type Clip, type Frame, type Library, type NamedFile, type Opened, type PaintName, type Problem, type ViewName } from 'isochor';
import { message, ProgressBox } from '../controls/dialog';
import { History } from './history';
import { emptyProject, falloffsOf, turnsOf, type Project } from './project';
import { Signal } from './signal';
import { beginRestoring, clearSession, endRestoring, loadSession, saveSession, type Session, type Source } from './store';

export type Panel = 'bind' | 'pose' | 'shape' | 'look' | 'info';

/** How one looks at it: kept over a reload, but no subject of undo. */
export interface ViewState {
  layout: 'one' | 'three';
  view: ViewName;
  paint: PaintName;
  joint: number;
  clip: number;
  time: number;
  loop: boolean;
  panel: Panel;
  skeleton: boolean;
  wireframe: boolean;
  grid: boolean;
  voxels: boolean;
  section: 'none' | 'x' | 'y' | 'z';
  sectionAt: number;
  showMap: boolean;
  /** The camera: position and target. */
  camera: number[] | null;
}

const firstView: ViewState = {
  layout: 'one', view: 'held', paint: 'none', joint: -1, clip: -1, time: 0, loop: true, panel: 'bind', skeleton: true, wireframe: false, grid: true,
  voxels: false, section: 'none', sectionAt: 0.5, showMap: true, camera: null,
};

export class Studio {
  readonly opened = new Signal<Opened>();
  readonly closed = new Signal();
  readonly projectChanged = new Signal();
  /** By undo or redo. */
  readonly travelled = new Signal();
  readonly viewChanged = new Signal();
  readonly frameShown = new Signal<Frame>();
  readonly bindChanged = new Signal();
  readonly settingsChanged = new Signal();
  readonly clipsChanged = new Signal();
  /** Whatever changes the volume over a clip. */
  readonly motionChanged = new Signal();
  readonly highlighted = new Signal<Problem | null>();

  character: Character | null = null;
  clips: Clip[] = [];
  source: Source | null = null;
  project: Project = emptyProject;
  view: ViewState = firstView;
  report: BindReport | null = null;
  /** What the library said about the settings. */
  settingProblems: Problem[] = [];
  settingError: string | null = null;
  playing = false;
  lastFrame: Frame | null = null;

  private history = new History<Project>(emptyProject);
  /** What the library was told last. */
  private told: Project = emptyProject;
  /** Whether the last change was settled, and whether the library has drafts of weights. */
  private settled = true;
  private drafted = false;
  private syncing: Promise<void> = Promise.resolve();
  private saveTimer: ReturnType<typeof setTimeout> | undefined;
  private lastTime = 0;
  private lastRequest = Number.NEGATIVE_INFINITY;

  private constructor(readonly isochor: Isochor, readonly library: Library) {}

  static async start(): Promise<Studio> {
    const isochor = await Isochor.start();
    return new Studio(isochor, await isochor.library());
  }

  // ------------------------------------------------------------------ opening

  /** What cannot be read gets its sentence, and what was open stays. */
  open(source: Source, session?: Session): Promise<boolean> {
    return this.inTurn(() => this.openNow(source, session));
  }

  private async openNow(source: Source, session?: Session): Promise<boolean> {
    const title = 'sample' in source ? `Making the ${source.sample}` : `Opening ${source.files[0]?.name ?? ''}`;
    const opened = await this.job(title, (options) => ('sample' in source
      ? this.isochor.openSample(source.sample, options)
      : this.isochor.open(source.files, source.skeleton, options)));
    if (!opened) return false;
    this.character = opened.character;
    this.clips = opened.character.clips;
    this.source = source;
    this.report = null;
    this.settingProblems = [];
    this.settingError = null;
    this.drafted = false;
    this.lastFrame = null;
    this.playing = false;
    this.project = { ...emptyProject, settings: opened.character.settings };
    this.told = this.project;
    this.view = {
      ...firstView, layout: this.view.layout, view: this.view.view, panel: this.view.panel, clip: this.clips.length > 0 ? 0 : -1,
      time: this.clips[0]?.start ?? 0, joint: firstJoint(opened.character),
    };
    this.history = new History(this.project);
    if (session) {
      this.view = { ...this.view, ...session.view };
      await this.restore(session.project);
    }
    this.opened.emit(opened);
    this.clipsChanged.emit();
    this.projectChanged.emit();
    this.bindChanged.emit();
    this.settingsChanged.emit();
    this.viewChanged.emit();
    this.motionChanged.emit();
    this.requestFrame();
    this.keep();
    document.title = `${opened.character.name} · Isochor Studio`;
    return true;
  }

  async restoreLast(): Promise<boolean> {
    const session = await loadSession();
    if (!session) return false;
    // A file that ends the page must not do so again and again.
    if (!beginRestoring()) {
      message('What was open could not be brought back last time, and was left closed. Reload to try again.', 'error');
      return false;
    }
    return this.open(session.source, session).finally(endRestoring);
  }

  private async restore(project: Project): Promise<void> {
    this.project = { ...emptyProject, ...project };  // an older page may have kept less
    await this.tell().catch((error: unknown) => this.complain(error));
    this.history = new History(this.project);
  }

  async close(): Promise<void> {
    clearTimeout(this.saveTimer);  // or what was closed would be kept after all
    this.character = null;
    this.source = null;
    this.playing = false;
    this.clips = [];
    this.report = null;
    this.lastFrame = null;
    await this.isochor.close();
    await clearSession();
    document.title = 'Isochor Studio';
    this.closed.emit();
  }

  // ------------------------------------------------------------------ changing

  /** Live changes are shown at once; only settled ones can be undone. */
  change(label: string, change: Partial<Project>, settled = true): void {
    this.project = { ...this.project, ...change };
    this.settled = settled;
    if (settled) this.history.push(label, this.project);
    this.projectChanged.emit();
    void this.sync();
    if (settled) this.keep();
  }

  undo(): void {
    this.travel(this.history.undo());
  }
  redo(): void {
    this.travel(this.history.redo());
  }
  get undoLabel(): string | null {
    return this.history.undoLabel;
  }
  get redoLabel(): string | null {
    return this.history.redoLabel;
  }
  private travel(project: Project | null): void {
    if (!project) return;
    this.project = project;
    this.settled = true;
    this.projectChanged.emit();
    this.travelled.emit();
    void this.sync();
    this.keep();
  }

  /** Tells the library what changed since it was told last; calls that are overtaken are left out. */
  private sync(): Promise<void> {
    return this.inTurn(() => this.tell().catch((error: unknown) => this.complain(error)));
  }

  /** One after another, so that no change of one character is told to the next one. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.syncing.then(work);
    this.syncing = done.then(() => {}, () => {});
    return done;
  }

  private async tell(): Promise<void> {
    const before = this.told, now = this.project;
    if (before === now || !this.character) return;
    this.told = now;
    if (before.motions !== now.motions) await this.tellMotions(before, now);
    let weightsChanged = false;
    if (before.bind !== now.bind) {
      weightsChanged = await this.tellBind(before, now);
    } else if (now.bind && (this.drafted || before.falloff !== now.falloff || before.jointFalloff !== now.jointFalloff)) {
      this.drafted = !this.settled;
      await this.isochor.weigh({ ...falloffsOf(now), draft: this.drafted });
      weightsChanged = true;
    }
    if (before.settings !== now.settings) await this.tellSettings(now);
    const turned = before.turns !== now.turns;
    if (weightsChanged || turned || before.settings !== now.settings) this.motionChanged.emit();
    this.requestFrame();
  }

  private async tellMotions(before: Project, now: Project): Promise<void> {
    const first = this.character!.clips.length;
    const kept = now.motions.filter((motion, i) => before.motions[i] === motion).length;
    for (let i = before.motions.length; i-- > kept;) this.clips = await this.isochor.removeClip(first + i);
    for (const motion of now.motions.slice(kept)) {
      const report = await this.isochor.addMotion(motion);
      this.clips = report.clips;
    }
    if (this.view.clip >= this.clips.length) this.look({ clip: this.clips.length - 1 });
    this.clipsChanged.emit();
    this.motionChanged.emit();
  }

  private async tellBind(before: Project, now: Project): Promise<boolean> {
    if (!now.bind) {
      await this.isochor.unbind();
      await this.findBends();
      this.report = null;
      this.bindChanged.emit();
      return true;
    }
    const { falloff, joints } = falloffsOf(now);
    const options = { ...now.bind, falloff, 'joint-falloff': joints };
    const report = await this.job('Binding', (job) => this.isochor.bind(options, job));
    if (report) {
      await this.findBends();
      this.report = report;
      this.bindChanged.emit();
      return true;
    }
    // Stopped, or refused: as it was.
    const earlier = this.history.takeBack(now);
    this.told = { ...now, bind: before.bind };
    if (earlier && this.project === now) {
      this.project = earlier;
      void this.sync();  // whatever else the step changed
    } else {
      this.project = { ...this.project, bind: before.bind };
    }
    this.projectChanged.emit();
    this.keep();
    return false;
  }

  /** Where skin bends is decided by weights: a mesh without any bends nowhere until it is bound. */
  private async findBends(): Promise<void> {
    if (!this.character) return;
    const { joints } = await this.isochor.inspect();
    if (this.character) this.character.joints = joints;
  }

  private async tellSettings(now: Project): Promise<void> {
    try {
      const answer = await this.isochor.setSettings(now.settings);
      if (!answer) return;
      this.settingProblems = answer.problems;
      this.settingError = null;
    } catch (error) {
      this.settingError = error instanceof Error ? error.message : String(error);
    }
    this.settingsChanged.emit();
  }

  addMotion(file: NamedFile): Promise<void> {
    return this.inTurn(() => this.addMotionNow(file));
  }

  private async addMotionNow(file: NamedFile): Promise<void> {
    // Tried first, so that a file that does not fit changes nothing.
    const report = await this.job(`Reading ${file.name}`, (job) => this.isochor.addMotion(file, {}, job));
    if (!report) return;
    this.clips = report.clips;
    const motions = [...this.project.motions, file];
    this.told = { ...this.told, motions };
    this.project = { ...this.project, motions };
    this.history.push(`Import ${file.name}`, this.project);
    this.clipsChanged.emit();
    this.look({ clip: report.clip, time: this.clips[report.clip]?.start ?? 0 });
    this.projectChanged.emit();
    this.motionChanged.emit();
    this.keep();
    message(`${file.name}: ${report.matched} joints matched${report.unmatched_source.length > 0 ? `, ${report.unmatched_source.length} of the motion without a partner` : ''}`);
  }

  // ------------------------------------------------------------------ looking

  look(change: Partial<ViewState>): void {
    this.view = { ...this.view, ...change };
    this.viewChanged.emit();
    this.requestFrame();
    this.keep();
  }

  /** The clip that is played, or null for the rest pose. */
  get clip(): Clip | null {
    return this.clips[this.view.clip] ?? null;
  }

  play(on: boolean): void {
    this.playing = on && this.clip !== null;
    this.lastTime = performance.now();
    this.viewChanged.emit();
  }

  /** To be called once for each frame of the screen. */
  tick(now: number): void {
    const clip = this.clip;
    if (!this.playing || !clip) return;
    const passed = Math.min(0.1, (now - this.lastTime) / 1000);
    this.lastTime = now;
    let time = this.view.time + passed;
    if (time > clip.start + clip.duration) {
      if (!this.view.loop) {
        this.playing = false;
        time = clip.start + clip.duration;
      } else {
        time = clip.duration > 0 ? clip.start + ((time - clip.start) % clip.duration) : clip.start;
      }
    }
    this.seek(time);
  }

  seek(time: number): void {
    this.view = { ...this.view, time };
    this.viewChanged.emit();
    this.requestFrame();
    if (!this.playing) this.keep();
  }

  get views(): ViewName[] {
    return this.view.layout === 'three' ? ['lbs', 'dqs', 'held'] : [this.view.view];
  }

  /** What is painted on the skin: while curves are drawn, the map of the joint. */
  get paint(): PaintName {
    return this.view.panel === 'shape' && this.view.showMap && this.view.paint === 'none' ? 'gamma' : this.view.paint;
  }

  /** Older requests that have not begun are dropped. */
  requestFrame(): void {
    const { character } = this;
    if (!character) return;
    const { time, joint, voxels } = this.view;
    // Voxels are those of the bind pose: beside any other they would show nothing.
    const clip = voxels ? -1 : this.view.clip, turns = voxels ? [] : turnsOf(this.project);
    const follows = this.playing && time > this.lastRequest && time - this.lastRequest < 0.25;
    this.lastRequest = time;
    this.isochor.frame({ clip, time, joint, views: this.views, paint: this.paint, turns, follows })
      .then((frame) => {
        if (!frame || this.character !== character) return;
        this.lastFrame = frame;
        this.frameShown.emit(frame);
      })
      // A request that waited while another character was opened may ask for joints that this one lacks.
      .catch((error: unknown) => { if (this.character === character) this.complain(error); });
  }

  // ------------------------------------------------------------------ work

  /** Long work with progress and a way to stop it; null if it was stopped or refused, and the sentence was shown. */
  async job<T>(title: string, work: (options: { signal: AbortSignal; onProgress: (stage: string, fraction: number) => void }) => Promise<T>): Promise<T | null> {
    const box = new ProgressBox(title);
    try {
      return await work({ signal: box.signal, onProgress: box.onProgress });
    } catch (error) {
      this.complain(error);
      return null;
    } finally {
      box.close();
    }
  }

  complain(error: unknown): void {
    if (error instanceof IsochorError && error.kind === 'cancelled') return message('Stopped: nothing was changed.');
    message(error instanceof Error ? error.message : String(error), 'error');
  }

  private keep(): void {
    clearTimeout(this.saveTimer);
    const { source, project, view } = this;
    if (!source) return;
    this.saveTimer = setTimeout(() => void saveSession({ source, project, view }), 250);
  }
}

/** One that bends skin, near the middle of the skeleton: something to look at. */
function firstJoint(character: Character): number {
  const found = character.joints.findIndex((joint) => joint.bends);
  return found >= 0 ? found : character.joints.length > 0 ? 0 : -1;
}
