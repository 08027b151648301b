// Light and dark: as the machine has it, or as one chose.

export type Theme = 'auto' | 'light' | 'dark';
const key = 'isochor-theme';

export function theme(): Theme {
  try {
    return (localStorage.getItem(key) as Theme | null) ?? 'auto';
  } catch {
    return 'auto';
  }
}

export const isDark = (): boolean => document.documentElement.dataset['theme'] === 'dark';

export function setTheme(next: Theme): void {
  try {
    localStorage.setItem(key, next);
  } catch {
    // Not kept, but used.
  }
  applyTheme();
}

const machine = matchMedia('(prefers-color-scheme: dark)');

export function applyTheme(): void {
  const chosen = theme();
  document.documentElement.dataset['theme'] = chosen === 'auto' ? (machine.matches ? 'dark' : 'light') : chosen;
}

export function onThemeOfMachine(listener: () => void): void {
  machine.addEventListener('change', () => {
    applyTheme();
    listener();
  });
}
