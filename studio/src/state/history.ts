// Undo and redo over values that never change.

const longest = 200;

export class History<T> {
  private states: { label: string; value: T }[];
  private at = 0;

  constructor(first: T) {
    this.states = [{ label: '', value: first }];
  }

  /** What was done last is forgotten if it was undone. */
  push(label: string, value: T): void {
    if (this.states[this.at]!.value === value) return;
    this.states = [...this.states.slice(0, this.at + 1), { label, value }].slice(-longest);
    this.at = this.states.length - 1;
  }
  /** Takes back a push that came to nothing: it can be neither undone nor redone. */
  drop(value: T): void {
    if (this.states[this.at]!.value !== value || this.at === 0) return;
    this.states = this.states.slice(0, this.at);
    --this.at;
  }
  get undoLabel(): string | null {
    return this.at > 0 ? this.states[this.at]!.label : null;
  }
  get redoLabel(): string | null {
    return this.states[this.at + 1]?.label ?? null;
  }
  undo(): T | null {
    return this.at > 0 ? this.states[--this.at]!.value : null;
  }
  redo(): T | null {
    return this.at + 1 < this.states.length ? this.states[++this.at]!.value : null;
  }
}
