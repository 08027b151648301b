// Undo and redo over values that never change.

const longest = 200;

export class History<T> {
  private states: { label: string; value: T }[];
  private at = 0;
  /** Where the last step came from, and whether it was a push. */
  private from = 0;
  private pushed = false;

  constructor(first: T) {
    this.states = [{ label: '', value: first }];
  }

  /** What was done last is forgotten if it was undone. */
  push(label: string, value: T): void {
    if (this.states[this.at]!.value === value) return;
    this.states = [...this.states.slice(0, this.at + 1), { label, value }].slice(-longest);
    this.at = this.states.length - 1;
    this.from = this.at - 1;
    this.pushed = true;
  }
  /** Takes back a step to this value that came to nothing, and returns where it came from. What was pushed can be neither undone nor redone then. */
  takeBack(value: T): T | null {
    if (this.states[this.at]!.value !== value || this.from === this.at) return null;
    if (this.pushed) this.states = this.states.slice(0, this.at);
    this.at = this.from;
    return this.states[this.at]!.value;
  }
  get undoLabel(): string | null {
    return this.at > 0 ? this.states[this.at]!.label : null;
  }
  get redoLabel(): string | null {
    return this.states[this.at + 1]?.label ?? null;
  }
  undo(): T | null {
    return this.go(this.at - 1);
  }
  redo(): T | null {
    return this.go(this.at + 1);
  }
  private go(to: number): T | null {
    const state = this.states[to];
    if (!state) return null;
    this.from = this.at;
    this.at = to;
    this.pushed = false;
    return state.value;
  }
}
