// Labelled controls: each says what it is, and its tooltip what the user will see when it changes.

import { button, clamp, digits, element, newId } from './dom';
import { icon } from './icons';

/** Live while the user drags or types, then once more when it is settled. */
export type OnChange<T> = (value: T, settled: boolean) => void;

export interface Control<T> {
  root: HTMLElement;
  set(value: T): void;
  enable(on: boolean): void;
}

export interface SliderOptions {
  label: string;
  help: string;
  min: number;
  max: number;
  step?: number;
  unit?: string;
  /** Where the slider is even in ratios instead of differences. */
  logarithmic?: boolean;
  value: number;
  onChange: OnChange<number>;
}

/** A slider with a number beside it. */
export function slider(options: SliderOptions): Control<number> {
  const { label, help, min, max, step = (max - min) / 200, unit = '', logarithmic = false, onChange } = options;
  const id = newId();
  const toSlider = (value: number) => (logarithmic ? Math.log(value / min) / Math.log(max / min) : value);
  const fromSlider = (value: number) => (logarithmic ? min * (max / min) ** value : value);
  const range = element('input', {
    type: 'range', id, title: help, min: logarithmic ? 0 : min, max: logarithmic ? 1 : max, step: logarithmic ? 0.002 : step,
  });
  const number = element('input', { type: 'number', min, max, step: logarithmic ? 'any' : step, title: help, 'aria-label': `${label}, as a number` });
  let value = options.value;
  const round = (x: number) => Number(x.toPrecision(4));
  const show = () => {
    range.value = String(toSlider(clamp(value, min, max)));
    number.value = digits(value);
    range.setAttribute('aria-valuetext', `${digits(value)}${unit === '' ? '' : ` ${unit}`}`);
    range.style.setProperty('--filled', `${(100 * (toSlider(clamp(value, min, max)) - toSlider(min))) / (toSlider(max) - toSlider(min))}%`);
  };
  const take = (next: number, settled: boolean) => {
    if (!Number.isFinite(next)) return show();
    value = round(clamp(next, min, max));
    show();
    onChange(value, settled);
  };
  range.addEventListener('input', () => take(fromSlider(Number(range.value)), false));
  range.addEventListener('change', () => take(fromSlider(Number(range.value)), true));
  number.addEventListener('change', () => take(Number(number.value), true));
  show();
  const root = element('div', { class: 'field slider', title: help },
    element('label', { for: id }, label, unit === '' ? null : element('small', {}, ` ${unit}`)), number, range);
  return {
    root,
    set: (next) => { value = next; show(); },
    enable: (on) => { range.disabled = number.disabled = !on; },
  };
}

export function choice<T extends string>(
  options: { label: string; help: string; choices: readonly { value: T; label: string; help?: string }[]; value: T; onChange: (value: T) => void }): Control<T> {
  const id = newId();
  const select = element('select', { id, title: options.help });
  for (const { value, label, help } of options.choices) select.append(element('option', { value, title: help }, label));
  select.value = options.value;
  select.addEventListener('change', () => options.onChange(select.value as T));
  const root = element('div', { class: 'field', title: options.help }, element('label', { for: id }, options.label), select);
  return { root, set: (value) => { select.value = value; }, enable: (on) => { select.disabled = !on; } };
}

/** A few choices side by side. */
export function segments<T extends string>(
  options: { label: string; choices: readonly { value: T; label: string | Node; help: string }[]; value: T; onChange: (value: T) => void; hideLabel?: boolean }): Control<T> {
  const buttons = new Map<T, HTMLButtonElement>();
  const group = element('div', { class: 'segments', role: 'radiogroup', 'aria-label': options.label });
  const mark = (value: T) => {
    for (const [name, made] of buttons) {
      made.setAttribute('aria-checked', String(name === value));
      made.tabIndex = name === value ? 0 : -1;
    }
  };
  const choose = (value: T, focus = false) => {
    mark(value);
    if (focus) buttons.get(value)?.focus();
    options.onChange(value);
  };
  const order = options.choices.map(({ value }) => value);
  for (const { value, label, help } of options.choices) {
    const made = button(label, help, () => choose(value), { role: 'radio' });
    made.dataset['value'] = value;
    made.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowRight' || event.key === 'ArrowDown' ? 1 : event.key === 'ArrowLeft' || event.key === 'ArrowUp' ? -1 : 0;
      if (step === 0) return;
      event.preventDefault();
      event.stopPropagation();
      choose(order[(order.indexOf(value) + step + order.length) % order.length] as T, true);
    });
    buttons.set(value, made);
    group.append(made);
  }
  mark(options.value);
  const root = options.hideLabel ? group : element('div', { class: 'field' }, element('span', { class: 'label' }, options.label), group);
  return { root, set: mark, enable: (on) => { for (const made of buttons.values()) made.disabled = !on; } };
}

export function checkbox(options: { label: string; help: string; value: boolean; onChange: (value: boolean) => void }): Control<boolean> {
  const id = newId();
  const box = element('input', { type: 'checkbox', id, title: options.help });
  box.checked = options.value;
  box.addEventListener('change', () => options.onChange(box.checked));
  const root = element('div', { class: 'field check', title: options.help }, box, element('label', { for: id }, options.label));
  return { root, set: (value) => { box.checked = value; }, enable: (on) => { box.disabled = !on; } };
}

/** Names and patterns, as chips that can be taken away, and a field to add one. */
export function names(options: { label: string; help: string; value: string[]; suggestions: string[]; onChange: (value: string[]) => void }): Control<string[]> {
  const id = newId(), listId = newId();
  let value = options.value;
  const chips = element('div', { class: 'chips' });
  const list = element('datalist', { id: listId }, ...options.suggestions.map((name) => element('option', { value: name })));
  const input = element('input', { type: 'text', id, list: listId, title: options.help, placeholder: 'name or pattern …', autocomplete: 'off', spellcheck: 'false' });
  const show = () => chips.replaceChildren(...value.map((name) =>
    element('span', { class: 'chip' }, name, button(icon('close'), `Take ${name} off the list`, () => take(value.filter((other) => other !== name))))));
  const take = (next: string[]) => {
    value = next;
    show();
    options.onChange(value);
  };
  input.addEventListener('change', () => {
    const name = input.value.trim();
    input.value = '';
    if (name !== '' && !value.includes(name)) take([...value, name]);
  });
  show();
  const root = element('div', { class: 'field column', title: options.help }, element('label', { for: id }, options.label), chips, input, list);
  return { root, set: (next) => { value = next; show(); }, enable: (on) => { input.disabled = !on; } };
}
