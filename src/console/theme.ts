// The colour theme: light, dark or as the system says. The browser stores the choice.
import { signal } from "@preact/signals";

/** The theme that follows each theme when the button is pressed. */
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
    // A browser without storage keeps the theme until the page is closed.
  }
}

export const initTheme = (): void => setTheme(readStoredTheme());
export const switchTheme = (): void => setTheme(NEXT[theme.value]);
