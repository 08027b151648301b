// A menu bar that works with the keyboard as those of programs do: arrows, Enter, Escape.

import { element, newId } from './dom';

export interface MenuItem {
  label: string;
  help: string;
  keys?: string;
  action: () => void;
  enabled?: () => boolean;
  checked?: () => boolean;
  testid?: string;
}
export type Menu = { label: string; items: () => (MenuItem | 'line')[] };

export function menuBar(menus: Menu[]): HTMLElement {
  const bar = element('div', { class: 'menu-bar', role: 'menubar', 'aria-label': 'Main menu' });
  const heads: HTMLButtonElement[] = [];
  let open: { index: number; list: HTMLElement } | null = null;

  const close = (focus = false) => {
    if (!open) return;
    const head = heads[open.index]!;
    head.setAttribute('aria-expanded', 'false');
    open.list.remove();
    open = null;
    if (focus) head.focus();
  };
  const items = () => [...(open?.list.querySelectorAll<HTMLElement>('[role^=menuitem]:not([aria-disabled=true])') ?? [])];
  const show = (index: number, focusFirst: boolean) => {
    close();
    const head = heads[index]!;
    const list = element('div', { class: 'menu', role: 'menu', 'aria-labelledby': head.id });
    for (const item of menus[index]!.items()) list.append(item === 'line' ? element('hr') : entry(item));
    const box = head.getBoundingClientRect();
    list.style.left = `${box.left}px`;
    list.style.top = `${box.bottom}px`;
    document.body.append(list);
    head.setAttribute('aria-expanded', 'true');
    open = { index, list };
    if (focusFirst) items()[0]?.focus();
  };
  const entry = (item: MenuItem) => {
    const enabled = item.enabled?.() ?? true;
    const checked = item.checked?.();
    return element('button', {
      type: 'button', role: checked === undefined ? 'menuitem' : 'menuitemcheckbox', 'aria-checked': checked === undefined ? undefined : String(checked),
      'aria-disabled': enabled ? undefined : 'true', title: item.help, tabindex: -1, 'data-testid': item.testid,
      onclick: () => {
        if (!enabled) return;
        close(true);
        item.action();
      },
    }, element('span', {}, item.label), element('kbd', {}, item.keys ?? ''));
  };

  menus.forEach((menu, index) => {
    const head = element('button', {
      type: 'button', id: newId(), role: 'menuitem', 'aria-haspopup': 'menu', 'aria-expanded': 'false', tabindex: index === 0 ? 0 : -1,
      onclick: () => (open?.index === index ? close() : show(index, false)),
      onpointerenter: () => { if (open && open.index !== index) show(index, false); },
    }, menu.label);
    heads.push(head);
    bar.append(head);
  });
  const step = (by: number) => {
    const at = open?.index ?? heads.indexOf(document.activeElement as HTMLButtonElement);
    const index = (at + by + heads.length) % heads.length;
    if (open) show(index, true);
    else heads[index]?.focus();
  };
  const key = (event: KeyboardEvent) => {
    const inBar = bar.contains(event.target as Node), inMenu = open?.list.contains(event.target as Node) ?? false;
    if (!inBar && !inMenu) return;
    const all = items(), at = all.indexOf(document.activeElement as HTMLElement);
    const handled: Record<string, () => void> = {
      ArrowRight: () => step(1),
      ArrowLeft: () => step(-1),
      ArrowDown: () => (open ? all[(at + 1) % all.length]?.focus() : show(heads.indexOf(event.target as HTMLButtonElement), true)),
      ArrowUp: () => all[(at - 1 + all.length) % all.length]?.focus(),
      Escape: () => close(true),
      Tab: () => close(),
    };
    const action = handled[event.key];
    if (!action) return;
    if (event.key !== 'Tab') event.preventDefault();
    event.stopPropagation();
    action();
  };
  document.addEventListener('keydown', key, true);
  document.addEventListener('pointerdown', (event) => {
    if (open && !open.list.contains(event.target as Node) && !bar.contains(event.target as Node)) close();
  });
  return bar;
}
