// Light or dark: as the system says, or as chosen here, which this browser remembers.
import { signal } from "@preact/signals";

/** What each press of the button leads to. */
const NEXT = { auto: "dark", dark: "light", light: "auto" } as const;
type Theme = keyof typeof NEXT;
const KEY = "sandbox-console-theme";

function remembered(): Theme {
  try {
    const text = localStorage.getItem(KEY) ?? "";
    return text in NEXT ? (text as Theme) : "auto";
  } catch {
    return "auto";
  }
}

export const theme = signal<Theme>("auto");

function setTheme(next: Theme): void {
  theme.value = next;
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A browser that remembers nothing shows what was chosen until the page is closed.
  }
}

export const beginTheme = (): void => setTheme(remembered());
export const nextTheme = (): void => setTheme(NEXT[theme.value]);
