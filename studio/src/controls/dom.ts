// Elements by name, in one line each.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

/** `on…` attributes that are functions become listeners; false and undefined are left out. */
export function element<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  setAttributes(made, attributes);
  append(made, children);
  return made;
}

export function svg<K extends keyof SVGElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  setAttributes(made, attributes);
  append(made, children);
  return made;
}

export function setAttributes(of: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') of.addEventListener(name.slice(2), value as EventListener);
    else if (value === false || value === undefined) of.removeAttribute(name);
    else of.setAttribute(name, value === true ? '' : String(value));
  }
}

function append(to: Element, children: Child[]): void {
  for (const child of children) if (child !== null && child !== undefined && child !== false) to.append(child);
}

let ids = 0;
export const newId = (): string => `c${ids++}`;

/** A button; `title` says what it does to the result. */
export function button(label: Child, title: string, onclick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return element('button', { type: 'button', title, 'aria-label': typeof label === 'string' ? undefined : title, onclick, ...attributes }, label);
}

export function heading(text: string): HTMLElement {
  return element('h3', { class: 'section' }, text);
}

export const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** At most so many digits after the point, and no more than are needed. */
export const digits = (value: number, count = 3): string => String(Number(value.toFixed(count)));
