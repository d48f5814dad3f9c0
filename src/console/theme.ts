// Light or dark: as the system says, or as chosen here, which this browser remembers.
import { signal } from "@preact/signals";

/** What each press of the button leads to. */
const NEXT = { auto: "dark", dark: "light", light: "auto" } as const;
type Theme = keyof typeof NEXT;
const STORAGE_KEY = "sandbox-console-theme";

function readStoredTheme(): Theme {
  try {
    const text = localStorage.getItem(STORAGE_KEY) ?? "";
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
    localStorage.setItem(STORAGE_KEY, next);
  } catch {
    // A browser that remembers nothing shows what was chosen until the page is closed.
  }
}

export const initTheme = (): void => setTheme(readStoredTheme());
export const switchTheme = (): void => setTheme(NEXT[theme.value]);
