// Windows above the page, and short messages at its edge.

import { button, element } from './dom';
import { icon } from './icons';

export interface DialogAction {
  label: string;
  title: string;
  primary?: boolean;
  /** The dialog closes unless it gives back false. */
  onclick?: () => boolean | void;
}

/** Focus goes into the dialog and back to where it was; Escape closes it. */
export function openDialog(title: string, content: Node[], actions: DialogAction[]): HTMLDialogElement {
  const dialog = element('dialog', { 'aria-label': title });
  const close = () => dialog.close();
  const bar = actions.map(({ label, title: help, primary, onclick }) =>
    button(label, help, () => { if (onclick?.() !== false) close(); }, { class: primary ? 'primary' : '' }));
  dialog.append(
    element('header', {}, element('h2', {}, title), button(icon('close'), 'Close this window', close, { class: 'quiet' })),
    element('div', { class: 'content' }, ...content),
    element('footer', {}, ...bar));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  (dialog.querySelector<HTMLElement>('.content input, .content select, footer .primary') ?? dialog).focus();
  return dialog;
}

const places = new Map<string, HTMLElement>();

function messages(): HTMLElement {
  let place = places.get('messages');
  if (!place) {
    place = element('div', { class: 'messages', role: 'status', 'aria-live': 'polite' });
    document.body.append(place);
    places.set('messages', place);
  }
  return place;
}

/** Errors stay until they are closed; notes go by themselves. */
export function message(text: string, kind: 'error' | 'note' = 'note'): void {
  const box = element('div', { class: `message ${kind}`, role: kind === 'error' ? 'alert' : undefined },
    icon(kind === 'error' ? 'warning' : 'note'), element('span', {}, text),
    button(icon('close'), 'Close this message', () => box.remove(), { class: 'quiet' }));
  const shown = messages();
  while (shown.children.length > 2) shown.firstElementChild?.remove();
  shown.append(box);
  if (kind === 'note') setTimeout(() => box.remove(), 5000);
}

/** Progress of long work, with a way to stop it. */
export class ProgressBox {
  private readonly bar = element('progress', { max: 1, 'aria-label': 'Progress' });
  private readonly stage = element('span', { class: 'stage' });
  private readonly box: HTMLElement;
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;

  constructor(title: string) {
    this.box = element('div', { class: 'progress', role: 'group', 'aria-label': title },
      element('strong', {}, title), this.stage, this.bar,
      button('Cancel', 'Stop this work; nothing changes', () => this.controller.abort(), { 'data-testid': 'cancel' }));
    // Quick work shows no box at all.
    setTimeout(() => { if (!this.done) document.body.append(this.box); }, 120);
  }
  private done = false;

  readonly onProgress = (stage: string, fraction: number): void => {
    this.stage.textContent = stage;
    this.bar.value = fraction;
  };

  close(): void {
    this.done = true;
    this.box.remove();
  }
}
