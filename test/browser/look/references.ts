// The grids that the screens are held against, a file for each. `npm run docs:pictures` writes them; look at the pictures first.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Theme } from "../browser-kit.ts";
import type { Scene } from "./scenes.ts";
import { STATES, type State } from "./worlds.ts";

export interface Shot {
  state: State;
  theme: Theme;
  width: number;
}

export const HEIGHT = 800;
const WIDTHS = [390, 900, 1440];
const THEMES = ["light", "dark"] as const;

/** As all of them are taken. */
export const SHOTS: readonly Shot[] = STATES.flatMap((state) =>
  THEMES.flatMap((theme) => WIDTHS.map((width) => ({ state, theme, width }))),
);

/** Those that are kept: the usual world in all of them, the others in the middle width. */
export const HELD = SHOTS.filter(
  ({ state, theme, width }) => state === "usual" || (theme === "light" && width === 900),
);

export const nameOf = ({ state, theme, width }: Shot): string => `${state} ${theme} ${width}`;

const fileOf = ({ name }: Scene) => new URL(`references/${name}.txt`, import.meta.url);

export function referencesOf(scene: Scene): Map<string, string> {
  const parts = readFileSync(fileOf(scene), "utf8").trim().split("\n\n");
  return new Map(parts.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]));
}

export function writeReferences(scene: Scene, grids: ReadonlyMap<string, string>): void {
  mkdirSync(fileURLToPath(new URL("references", import.meta.url)), { recursive: true });
  writeFileSync(fileOf(scene), `${[...grids].map(([name, grid]) => `${name}\n${grid}`).join("\n\n")}\n`);
}
