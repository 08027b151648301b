// Three shares that sum to 1, as a point in a triangle.

import { clamp, digits, element, svg } from './dom';
import type { Control, OnChange } from './fields';

export type Shares = [number, number, number];

const size = { width: 180, height: 142 };
const corners = [[22, 118], [158, 118], [90, 14]] as const;

/** Corner i takes all if the point lies on it. */
export function sharesControl(options: { label: string; help: string; names: [string, string, string]; value: Shares; onChange: OnChange<Shares> }): Control<Shares> {
  let value = options.value;
  const knob = svg('circle', { r: 7, class: 'knob', tabindex: 0, role: 'slider', 'aria-label': options.label, 'aria-valuemin': 0, 'aria-valuemax': 1 });
  const picture = svg('svg', { viewBox: `0 0 ${size.width} ${size.height}`, class: 'shares' },
    svg('polygon', { points: corners.map((corner) => corner.join(',')).join(' ') }),
    ...[0.25, 0.5, 0.75].flatMap((t) => [0, 1, 2].map((i) => {
      const a = corners[i]!, b = corners[(i + 1) % 3]!, c = corners[(i + 2) % 3]!;
      const mix = (p: readonly [number, number], q: readonly [number, number]) => [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])] as const;
      const from = mix(a, b), to = mix(a, c);
      return svg('line', { x1: from[0], y1: from[1], x2: to[0], y2: to[1], class: 'grid' });
    })));
  const texts = options.names.map((name, i) => {
    const [x, y] = corners[i]!;
    const anchor = i === 0 ? 'start' : i === 1 ? 'end' : 'start';
    const at = i === 2 ? { x: x + 8, y: y + 4 } : { x: i === 0 ? 2 : size.width - 2, y: y + 20 };
    return svg('text', { ...at, 'text-anchor': anchor }, name);
  });
  picture.append(...texts, knob);
  const show = () => {
    const [a, b, c] = value;
    knob.setAttribute('cx', String(a * corners[0][0] + b * corners[1][0] + c * corners[2][0]));
    knob.setAttribute('cy', String(a * corners[0][1] + b * corners[1][1] + c * corners[2][1]));
    const text = options.names.map((name, i) => `${name} ${digits(value[i]!, 2)}`).join(', ');
    knob.setAttribute('aria-valuetext', text);
    knob.setAttribute('aria-valuenow', digits(value[1], 2));
    texts.forEach((node, i) => { node.textContent = `${options.names[i]} ${digits(value[i]!, 2)}`; });
  };
  const take = (next: Shares, settled: boolean) => {
    const positive = next.map((share) => clamp(share, 0, 1)) as Shares;
    const sum = positive[0] + positive[1] + positive[2] || 1;
    const [a, b] = positive.map((share) => Math.round((share / sum) * 1000) / 1000) as Shares;
    value = [a, b, Math.round((1 - a - b) * 1000) / 1000];
    show();
    options.onChange(value, settled);
  };
  const at = (event: PointerEvent): Shares => {
    const box = picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * size.width, y = ((event.clientY - box.top) / box.height) * size.height;
    const [a, b, c] = corners;
    const det = (b[1] - c[1]) * (a[0] - c[0]) + (c[0] - b[0]) * (a[1] - c[1]);
    const first = ((b[1] - c[1]) * (x - c[0]) + (c[0] - b[0]) * (y - c[1])) / det;
    const second = ((c[1] - a[1]) * (x - c[0]) + (a[0] - c[0]) * (y - c[1])) / det;
    return [first, second, 1 - first - second];
  };
  picture.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    picture.setPointerCapture(event.pointerId);
    take(at(event), false);
    const move = (next: PointerEvent) => take(at(next), false);
    picture.addEventListener('pointermove', move);
    // Sent last however the drag ends, by pointerup or pointercancel.
    picture.addEventListener('lostpointercapture', () => {
      picture.removeEventListener('pointermove', move);
      take(value, true);
      knob.focus();
    }, { once: true });
  });
  knob.addEventListener('keydown', (event) => {
    const step = event.shiftKey ? 0.01 : 0.05;
    const moves: Record<string, Shares> = { ArrowLeft: [step, -step, 0], ArrowRight: [-step, step, 0], ArrowUp: [-step / 2, -step / 2, step], ArrowDown: [step / 2, step / 2, -step] };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    take(value.map((share, i) => share + move[i]!) as Shares, true);
  });
  show();
  const root = element('div', { class: 'field column', title: options.help }, element('span', { class: 'label' }, options.label), picture);
  return { root, set: (next) => { value = next; show(); }, enable: (on) => { picture.classList.toggle('disabled', !on); } };
}
