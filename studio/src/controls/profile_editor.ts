// A curve that one draws: freehand with the pen, or point by point. With the keyboard, points are moved by arrows.

import { clamp, digits, element, svg } from './dom';
import type { OnChange } from './fields';
import { interpolant, simplify, type Point } from './profile';

export interface ProfileEditorOptions {
  label: string;
  help: string;
  x: { min: number; max: number; label: string; ticks: number[] };
  y: { min: number; max: number; label: string; ticks: number[] };
  value: Point[];
  onChange: OnChange<Point[]>;
  height?: number;
}

export type Tool = 'draw' | 'points';

const width = 288;
const margin = { left: 30, right: 8, top: 8, bottom: 28 };

export class ProfileEditor {
  readonly root: HTMLElement;
  private points: Point[];
  private tool: Tool = 'draw';
  private readonly height: number;
  private readonly picture: SVGSVGElement;
  private readonly curve = svg('path', { class: 'curve' });
  private readonly area = svg('path', { class: 'area' });
  private readonly handles = svg('g', {});
  private readonly stroke = svg('polyline', { class: 'stroke' });
  private readonly readout = element('output', { class: 'readout' });
  private readonly playhead = svg('line', { class: 'playhead', visibility: 'hidden' });

  constructor(private readonly options: ProfileEditorOptions) {
    this.points = options.value;
    this.height = options.height ?? 170;
    this.picture = svg('svg', {
      viewBox: `0 0 ${width} ${this.height}`, class: 'profile', role: 'group', 'aria-label': options.label, 'data-testid': 'profile',
    });
    this.picture.append(this.axes(), this.area, this.curve, this.playhead, this.stroke, this.handles);
    this.root = element('div', { class: 'profile-editor', title: options.help }, this.readout);
    this.root.prepend(this.picture);
    this.picture.addEventListener('pointerdown', (event) => this.begin(event));
    this.picture.addEventListener('pointermove', (event) => this.hover(event));
    this.picture.addEventListener('pointerleave', () => this.say(''));
    // Not at the points: they are drawn anew with every change, and the picture has captured the pointer.
    this.picture.addEventListener('dblclick', (event) => {
      const i = this.pointAt(event);
      if (i >= 0) this.remove(i);
    });
    this.setTool('draw');
    this.show();
  }

  set(points: Point[]): void {
    if (JSON.stringify(points) === JSON.stringify(this.points)) return;
    this.points = points;
    this.show();
  }

  setTool(tool: Tool): void {
    this.tool = tool;
    this.picture.dataset['tool'] = tool;
  }

  setPlayhead(x: number | null): void {
    if (x === null) return this.playhead.setAttribute('visibility', 'hidden');
    const at = this.toX(clamp(x, this.options.x.min, this.options.x.max));
    for (const [name, value] of Object.entries({ x1: at, x2: at, y1: margin.top, y2: this.height - margin.bottom, visibility: 'visible' })) {
      this.playhead.setAttribute(name, String(value));
    }
  }

  private toX(x: number): number {
    const { min, max } = this.options.x;
    return margin.left + ((x - min) / (max - min)) * (width - margin.left - margin.right);
  }
  private toY(y: number): number {
    const { min, max } = this.options.y;
    return this.height - margin.bottom - ((y - min) / (max - min)) * (this.height - margin.top - margin.bottom);
  }
  /** Where the pointer is on the curve's own axes, kept inside them. */
  private at(event: PointerEvent): Point {
    const box = this.picture.getBoundingClientRect();
    const { x, y } = this.options;
    const px = ((event.clientX - box.left) / box.width) * width, py = ((event.clientY - box.top) / box.height) * this.height;
    const fx = (px - margin.left) / (width - margin.left - margin.right);
    const fy = (this.height - margin.bottom - py) / (this.height - margin.top - margin.bottom);
    const round = (value: number) => Math.round(value * 1000) / 1000;
    return [round(x.min + clamp(fx, 0, 1) * (x.max - x.min)), round(y.min + clamp(fy, 0, 1) * (y.max - y.min))];
  }

  /** The point under the pointer; -1 if there is none. */
  private pointAt(event: MouseEvent): number {
    const box = this.picture.getBoundingClientRect();
    const px = ((event.clientX - box.left) / box.width) * width, py = ((event.clientY - box.top) / box.height) * this.height;
    return this.points.findIndex(([x, y]) => Math.hypot(this.toX(x) - px, this.toY(y) - py) <= 7);
  }

  private axes(): SVGElement {
    const { x, y } = this.options;
    const group = svg('g', { class: 'axes', 'aria-hidden': 'true' });
    const low = this.height - margin.bottom;
    for (const tick of x.ticks) {
      const at = this.toX(tick);
      group.append(svg('line', { x1: at, x2: at, y1: margin.top, y2: low, class: tick === 0 ? 'zero' : '' }),
        svg('text', { x: at, y: low + 14, 'text-anchor': 'middle' }, digits(tick)));
    }
    for (const tick of y.ticks) {
      const at = this.toY(tick);
      group.append(svg('line', { x1: margin.left, x2: width - margin.right, y1: at, y2: at }),
        svg('text', { x: margin.left - 4, y: at + 3, 'text-anchor': 'end' }, digits(tick)));
    }
    group.append(svg('text', { x: width - margin.right, y: this.height - 3, 'text-anchor': 'end', class: 'name' }, x.label));
    return group;
  }

  private show(): void {
    const f = interpolant(this.points);
    const { x, y } = this.options;
    const steps = 120;
    let path = '';
    for (let i = 0; i <= steps; ++i) {
      const at = x.min + (i / steps) * (x.max - x.min);
      path += `${i === 0 ? 'M' : 'L'}${this.toX(at).toFixed(1)} ${this.toY(clamp(f(at), y.min, y.max)).toFixed(1)}`;
    }
    this.curve.setAttribute('d', path);
    this.area.setAttribute('d', `${path}L${this.toX(x.max)} ${this.toY(y.min)}L${this.toX(x.min)} ${this.toY(y.min)}Z`);
    this.handles.replaceChildren(...this.points.map((point, i) => this.handle(point, i)));
  }

  private handle([x, y]: Point, i: number): SVGElement {
    const circle = svg('circle', {
      cx: this.toX(x), cy: this.toY(y), r: 5, tabindex: 0, role: 'slider', 'data-point': i,
      'aria-label': `Point ${i + 1} of ${this.points.length}`, 'aria-valuenow': y, 'aria-valuemin': this.options.y.min, 'aria-valuemax': this.options.y.max,
      'aria-valuetext': `${digits(y)} at ${digits(x)}`,
    });
    circle.addEventListener('keydown', (event) => this.key(event, i));
    return circle;
  }

  private say(text: string): void {
    this.readout.textContent = text;
  }

  private hover(event: PointerEvent): void {
    const [x] = this.at(event);
    this.say(`${digits(x, 2)} → ${digits(interpolant(this.points)(x), 2)}`);
  }

  private take(points: Point[], settled: boolean): void {
    this.points = points;
    this.show();
    this.options.onChange(points, settled);
  }

  private begin(event: PointerEvent): void {
    if (event.button !== 0) return;
    event.preventDefault();
    const circle = event.target instanceof SVGCircleElement ? event.target : null;
    if (circle) this.drag(event, Number(circle.dataset['point']), false);
    else if (this.tool === 'draw') this.draw(event);
    else this.drag(event, this.insert(this.at(event)), true);
  }

  /** Follows the pointer until it is let go. */
  private follow(event: PointerEvent, move: (event: PointerEvent) => void, end: () => void): void {
    this.picture.setPointerCapture(event.pointerId);
    const done = () => {
      this.picture.removeEventListener('pointermove', move);
      this.picture.removeEventListener('pointerup', done);
      this.picture.removeEventListener('pointercancel', done);
      end();
    };
    this.picture.addEventListener('pointermove', move);
    this.picture.addEventListener('pointerup', done);
    this.picture.addEventListener('pointercancel', done);
  }

  /** The pen: what is drawn takes the place of the old curve where the pen passed, live. */
  private draw(event: PointerEvent): void {
    const before = this.points;
    const stroke: Point[] = [this.at(event)];
    const { x, y } = this.options;
    const merged = (): Point[] => {
      const drawn = simplify(stroke, 0.025 * (y.max - y.min));
      const low = drawn[0]![0], high = drawn[drawn.length - 1]![0];
      const gap = 0.02 * (x.max - x.min);
      const rest = before.filter(([at]) => at < low - gap || at > high + gap);
      return [...rest, ...drawn].sort((a, b) => a[0] - b[0]);
    };
    const move = (next: PointerEvent) => {
      stroke.push(this.at(next));
      this.stroke.setAttribute('points', stroke.map(([a, b]) => `${this.toX(a)},${this.toY(b)}`).join(' '));
      this.take(merged(), false);
    };
    this.follow(event, move, () => {
      this.stroke.setAttribute('points', '');
      if (stroke.length > 1) this.take(merged(), true);
    });
  }

  private insert(point: Point): number {
    const near = this.points.findIndex(([x]) => Math.abs(x - point[0]) < 1e-6);
    if (near >= 0) return near;
    const points = [...this.points, point].sort((a, b) => a[0] - b[0]);
    this.take(points, false);
    return points.indexOf(point);
  }

  private moved(i: number, [x, y]: Point): Point[] {
    const gap = 0.002 * (this.options.x.max - this.options.x.min);
    const low = (this.points[i - 1]?.[0] ?? this.options.x.min - gap) + gap, high = (this.points[i + 1]?.[0] ?? this.options.x.max + gap) - gap;
    const point: Point = [clamp(x, low, high), clamp(y, this.options.y.min, this.options.y.max)];
    return this.points.map((other, k) => (k === i ? point : other));
  }

  /** `changed`: the point is a new one, so that there is something to undo even if it is not moved. */
  private drag(event: PointerEvent, i: number, changed: boolean): void {
    const move = (next: PointerEvent) => {
      changed = true;
      this.take(this.moved(i, this.at(next)), false);
    };
    this.follow(event, move, () => {
      if (changed) this.take(this.points, true);
      this.focus(i);
    });
  }

  private focus(i: number): void {
    (this.handles.children[i] as SVGElement | undefined)?.focus();
  }

  private remove(i: number): void {
    if (this.points.length <= 1) return;
    this.take(this.points.filter((_, k) => k !== i), true);
    this.focus(Math.min(i, this.points.length - 1));
  }

  private key(event: KeyboardEvent, i: number): void {
    const { x, y } = this.options;
    const fine = event.shiftKey ? 0.2 : 1;
    const dx = 0.02 * (x.max - x.min) * fine, dy = 0.04 * (y.max - y.min) * fine;
    const steps: Record<string, Point> = { ArrowLeft: [-dx, 0], ArrowRight: [dx, 0], ArrowUp: [0, dy], ArrowDown: [0, -dy] };
    const step = steps[event.key];
    if (step) {
      const [px, py] = this.points[i]!;
      this.take(this.moved(i, [px + step[0], py + step[1]]), true);
      this.focus(i);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      this.remove(i);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
