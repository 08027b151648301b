// Clips, their volume over time, and the volume that they should have.

import type { CurvePoint, ViewName } from 'isochor';
import { viewNames } from 'isochor';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { button, digits, element } from '../controls/dom';
import { choice, segments, type Control } from '../controls/fields';
import { icon } from '../controls/icons';
import { ProfileEditor } from '../controls/profile_editor';
import type { Studio } from '../state/studio';

const samples = 96, atOnce = 4;
const names: Record<ViewName, string> = { lbs: 'LBS', dqs: 'DQS', held: 'Isochor' };
/** Room above the curves for the legend. */
const room = (low: number, high: number): [number, number] => [low - 0.06 * (high - low), high + 0.28 * (high - low)];

type Mode = 'volume' | 'breathing';

export class Timeline {
  readonly root = element('section', { class: 'panel timeline', 'aria-label': 'Timeline' });
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly time = element('output', { class: 'clock', 'aria-label': 'Time' });
  private readonly scrub = element('input', { type: 'range', class: 'scrub', min: 0, max: 1, step: 0.001, 'aria-label': 'Time in the clip', title: 'The moment that is shown', 'data-testid': 'scrub' });
  private readonly body = element('div', { class: 'plot' });
  private readonly clipPlace = element('div', { class: 'clip-choice' });
  private clips: Control<string> | null = null;
  private mode: Mode = 'volume';
  private plot: uPlot | null = null;
  private data: uPlot.AlignedData = [[], [], [], []];
  private run: AbortController | null = null;
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private breathing: ProfileEditor | null = null;
  private readonly note = element('p', { class: 'none plot-note' });

  constructor(private readonly studio: Studio) {
    const first = button(icon('first'), 'Go to the beginning', () => studio.seek(studio.clip?.start ?? 0), { class: 'quiet' });
    this.play = button(icon('play'), 'Play or pause (Space)', () => studio.play(!studio.playing), { class: 'quiet', 'data-testid': 'play' });
    this.loop = button(icon('loop'), 'Play again from the beginning', () => studio.look({ loop: !studio.view.loop }), { class: 'quiet' });
    const mode = segments<Mode>({
      label: 'Below', value: this.mode, hideLabel: true, onChange: (value) => { this.mode = value; this.build(); },
      choices: [
        { value: 'volume', label: 'Volume', help: 'Volume over the clip, for all three deformers' },
        { value: 'breathing', label: 'Breathing', help: 'The volume to keep over time: draw a curve, and the character breathes' },
      ],
    });
    this.root.append(element('div', { class: 'transport', role: 'toolbar', 'aria-label': 'Playback' }, first, this.play, this.loop, this.clipPlace, this.scrub, this.time, mode.root), this.body);
    this.scrub.addEventListener('input', () => {
      studio.play(false);
      studio.seek(Number(this.scrub.value));
    });
    studio.clipsChanged.on(() => { this.listClips(); this.build(); });
    studio.viewChanged.on(() => this.follow());
    studio.motionChanged.on(() => this.measureSoon());
    studio.projectChanged.on(() => this.breathing?.set(studio.project.settings.volume ?? []));
    studio.closed.on(() => { this.stop(); this.listClips(); this.build(); });
    new ResizeObserver(() => this.plot?.setSize(this.plotSize())).observe(this.body);
    this.listClips();
  }

  private listClips(): void {
    const { clips } = this.studio;
    this.clips = choice<string>({
      label: 'Clip', help: 'The clip that is shown', value: String(this.studio.view.clip),
      choices: [{ value: '-1', label: 'Rest pose' }, ...clips.map((clip, i) => ({ value: String(i), label: clip.name || `Clip ${i + 1}` }))],
      onChange: (value) => {
        const clip = Number(value);
        this.studio.look({ clip, time: this.studio.clips[clip]?.start ?? 0 });
      },
    });
    this.clipPlace.replaceChildren(this.clips.root);
  }

  private shownClip = Number.NaN;
  private follow(): void {
    const { studio } = this;
    const { clip, view, playing } = studio;
    this.clips?.set(String(view.clip));
    const start = clip?.start ?? 0, end = start + (clip?.duration ?? 0);
    this.scrub.min = String(start);
    this.scrub.max = String(end);
    this.scrub.value = String(view.time);
    this.scrub.disabled = this.play.disabled = !clip;
    this.scrub.style.setProperty('--filled', `${end > start ? (100 * (view.time - start)) / (end - start) : 0}%`);
    this.time.textContent = clip ? `${(view.time - start).toFixed(2)} / ${digits(end - start, 2)} s` : '';
    if (this.play.dataset['playing'] !== String(playing)) {
      this.play.dataset['playing'] = String(playing);
      this.play.replaceChildren(icon(playing ? 'pause' : 'play'));
    }
    this.loop.setAttribute('aria-pressed', String(view.loop));
    this.plot?.redraw(false, false);
    this.breathing?.setPlayhead(clip ? view.time : null);
    if (view.clip !== this.shownClip) {
      this.shownClip = view.clip;
      this.build();
      this.measureSoon();
    }
  }

  private build(): void {
    this.plot?.destroy();
    this.plot = null;
    this.breathing = null;
    if (this.mode === 'breathing') this.buildBreathing();
    else this.buildPlot();
  }

  private plotSize(): { width: number; height: number } {
    return { width: Math.max(200, this.body.clientWidth), height: Math.max(80, this.body.clientHeight - 4) };
  }

  private buildPlot(): void {
    if (!this.studio.clip) {
      this.note.textContent = this.studio.character ? 'Choose a clip, or import a motion, and its volume over time is drawn here.' : '';
      this.body.replaceChildren(this.note);
      return;
    }
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const axis: uPlot.Axis = { stroke: color('--faint'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false }, font: '11px system-ui', size: 54, gap: 4 };
    const percent = (_: uPlot, value: number | null) => (value === null || value === undefined ? '–' : `${value.toFixed(2)} %`);
    this.body.replaceChildren();
    this.plot = new uPlot({
      ...this.plotSize(),
      scales: { x: { time: false }, y: { range: (_, low, high) => room(Math.min(low, 99.5), Math.max(high, 100.5)) } },
      axes: [{ ...axis, size: 22, values: (_, ticks) => ticks.map((tick) => `${digits(tick, 2)} s`) }, { ...axis, values: (_, ticks) => ticks.map((tick) => `${digits(tick, 1)} %`) }],
      series: [
        { label: 'Time', value: (_, value) => (value === null || value === undefined ? '–' : `${value.toFixed(2)} s`) },
        ...viewNames.map((view): uPlot.Series => ({ label: names[view], stroke: color(`--${view}`), width: view === 'held' ? 2.2 : 1.6, value: percent, points: { show: false } })),
      ],
      legend: { live: true },
      cursor: { drag: { x: false, y: false } },
      hooks: { draw: [(plot) => this.drawPlayhead(plot, color('--accent'))] },
    }, this.data, this.body);
    const over = this.plot.over;
    const seek = (event: PointerEvent) => {
      const box = over.getBoundingClientRect();
      this.studio.play(false);
      this.studio.seek(this.plot!.posToVal(Math.min(box.width, Math.max(0, event.clientX - box.left)), 'x'));
    };
    over.addEventListener('pointerdown', (event) => {
      over.setPointerCapture(event.pointerId);
      seek(event);
      over.addEventListener('pointermove', seek);
      over.addEventListener('lostpointercapture', () => over.removeEventListener('pointermove', seek), { once: true });
    });
  }

  private drawPlayhead(plot: uPlot, color: string): void {
    const { ctx, bbox } = plot;
    const x = plot.valToPos(this.studio.view.time, 'x', true);
    if (!Number.isFinite(x)) return;
    ctx.save();
    ctx.strokeStyle = color;
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  private buildBreathing(): void {
    const { studio } = this;
    const clip = studio.clip;
    const start = clip?.start ?? 0, end = start + Math.max(1, clip?.duration ?? 4);
    this.breathing = new ProfileEditor({
      label: 'Volume to keep over time', help: 'Draw how much volume the character should have: 1 is what it has at rest', height: 110,
      x: { min: start, max: end, label: 'seconds', ticks: Array.from({ length: 5 }, (_, i) => start + ((end - start) * i) / 4) },
      y: { min: 0.8, max: 1.2, label: 'volume', ticks: [0.8, 0.9, 1, 1.1, 1.2] },
      value: studio.project.settings.volume ?? [],
      onChange: (volume, settled) => studio.change('Breathing', { settings: { ...studio.project.settings, volume } }, settled),
    });
    const set = (volume: CurvePoint[] | undefined, label: string) => studio.change(label, { settings: { ...studio.project.settings, volume } });
    const wave = (depth: number): CurvePoint[] => Array.from({ length: 9 }, (_, i) => [start + ((end - start) * i) / 8, i % 2 === 0 ? 1 : 1 + depth]);
    this.body.replaceChildren(element('div', { class: 'breathing' }, this.breathing.root, element('div', { class: 'presets column' },
      button('Calm', 'Four breaths of three per cent', () => set(wave(0.03), 'Breathing')), button('Deep', 'Four breaths of eight per cent', () => set(wave(0.08), 'Breathing')),
      button('None', 'The volume stays as it is at rest', () => set(undefined, 'Breathing')))));
    this.breathing.setPlayhead(clip ? studio.view.time : null);
  }

  // ------------------------------------------------------------------ measuring

  private stop(): void {
    this.run?.abort();
    this.run = null;
    clearTimeout(this.waiting);
  }

  /** While something is dragged, what was measured would be out of date before it is drawn. */
  private measureSoon(): void {
    this.stop();
    this.waiting = setTimeout(() => void this.measure(), 200);
  }

  private async measure(): Promise<void> {
    const { clip, view } = this.studio;
    if (!clip || !this.studio.character) {
      this.data = [[], [], [], []];
      this.body.dataset['measured'] = '';
      return;
    }
    const run = new AbortController();
    this.run = run;
    delete this.body.dataset['measured'];
    const count = Math.min(samples, Math.max(2, Math.ceil(clip.duration * 60)));
    const times = Array.from({ length: count }, (_, i) => clip.start + (clip.duration * i) / (count - 1));
    const columns: (number | null)[][] = viewNames.map(() => new Array<number | null>(count).fill(null));
    for (let first = 0; first < count; first += atOnce) {
      try {
        const found = await this.studio.isochor.volumes(view.clip, times.slice(first, first + atOnce), { signal: run.signal });
        viewNames.forEach((name, v) => found[name].forEach((value, i) => { columns[v]![first + i] = value === null ? null : 100 * value; }));
      } catch {
        return;  // overtaken, or closed
      }
      if (run.signal.aborted) return;
      if (first % 16 === 0 || first + atOnce >= count) this.setData([times, ...columns] as uPlot.AlignedData);
    }
    this.body.dataset['measured'] = 'yes';
  }

  private setData(data: uPlot.AlignedData): void {
    this.data = data;
    if (this.mode === 'volume' && !this.plot) this.build();
    this.plot?.setData(data);
  }

  /** For tests: the lowest and highest of each curve, in per cent. */
  extremes(): Record<ViewName, { low: number; high: number }> {
    const of = (v: number) => {
      const values = (this.data[v + 1] as (number | null)[]).filter((value): value is number => value !== null);
      return { low: Math.min(...values), high: Math.max(...values) };
    };
    return { lbs: of(0), dqs: of(1), held: of(2) };
  }
  recolor(): void {
    this.build();
  }
}
