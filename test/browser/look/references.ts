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

/** As all of them are taken: a world after the other, the narrowest first, as a phone opens it. */
const SHOTS: readonly Shot[] = STATES.flatMap((state) =>
  WIDTHS.flatMap((width) => THEMES.map((theme) => ({ state, theme, width }))),
);

/** Of a page that is no screen of the console, which shows no world: the usual one. */
export const shotsOf = ({ isPage }: Scene): readonly Shot[] =>
  SHOTS.filter(({ state }) => !isPage || state === "usual");

/** Those that are kept: the usual world in all of them, the others in the middle width; of a page its dark one. */
export const heldOf = (scene: Scene): readonly Shot[] =>
  shotsOf(scene).filter(({ state, theme, width }) =>
    scene.isPage ? theme === "dark" && width === 900 : state === "usual" || (theme === "light" && width === 900),
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

const textsFileOf = ({ name }: Scene) => new URL(`references/${name}.texts.txt`, import.meta.url);

export const textsReferenceOf = (scene: Scene): string => readFileSync(textsFileOf(scene), "utf8").trimEnd();

export const writeTexts = (scene: Scene, texts: string): void => writeFileSync(textsFileOf(scene), `${texts}\n`);

/** In which the texts are held, with where they stand. */
export const hasTexts = (shot: Shot, { isPage }: Scene): boolean =>
  !isPage && nameOf(shot) === nameOf({ state: "usual", theme: "light", width: 900 });
