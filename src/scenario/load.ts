// Scenario files: found, read as YAML or JSON, and held against spec/scenario.schema.json, with the line of every place.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { isNode, LineCounter, parseDocument } from "yaml";
import type { Loaded, Scenario } from "./scenario.ts";
import { type Place, shapeFaults } from "./schema.ts";

/** One that is not closed is told for every level it is in. */
const MOST_NAMED = 20;
const DEEPEST = 64;
const TOO_DEEP = `it is nested more than ${DEEPEST} levels deep, or holds itself`;
const ENDINGS = [".yaml", ".yml", ".json"];

/** The scenario files that the paths name; a folder means every one in it. */
export function filesAt(paths: readonly string[]): { files: string[]; faults: string[] } {
  const files: string[] = [];
  const faults: string[] = [];
  for (const path of paths) {
    const inside = existsSync(path) ? filesIn(path) : [];
    if (!existsSync(path)) faults.push(`${path}: there is no such file or folder`);
    else if (inside.length === 0) faults.push(`${path}: no scenario here; they end in ${ENDINGS.join(", ")}`);
    files.push(...inside);
  }
  return { files: [...new Set(files)], faults };
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).sort();
  return names.flatMap((name) => {
    const inside = join(path, name);
    if (statSync(inside).isDirectory()) return filesIn(inside);
    return ENDINGS.includes(extname(name)) ? [inside] : [];
  });
}

/** The scenario of a file, or what is wrong with its form. */
export function load(file: string): { loaded?: Loaded; faults: string[] } {
  const lines = new LineCounter();
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (reason) {
    return { faults: [`${file}: it can't be read: ${(reason as Error).message}`] };
  }
  if (opensTooMany(text)) return { faults: [`${file}:1:1: ${TOO_DEEP}`] };
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0)
    return { faults: document.errors.slice(0, MOST_NAMED).map(({ pos, message }) => `${at(pos[0])}: ${message}`) };

  const placeOf = (path: Place): string => {
    for (let depth = path.length; depth >= 0; depth--) {
      const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
      if (isNode(node) && node.range) return at(node.range[0]);
    }
    return `${file}:1:1`;
  };
  let value: unknown;
  try {
    value = document.toJS();
  } catch (reason) {
    // Aliases that unfold to more than any scenario says, or that nothing stands behind.
    return { faults: [`${file}:1:1: ${(reason as Error).message}`] };
  }
  if (isDeep(value)) return { faults: [`${file}:1:1: ${TOO_DEEP}`] };
  const faults = shapeFaults(value).map(({ path, reason }) => `${placeOf(path)}: ${reason}`);
  return faults.length > 0 ? { faults } : { loaded: { file, scenario: value as Scenario, placeOf }, faults };
}

/** Level by level, so that a deep file costs no recursion anywhere. */
function isDeep(value: unknown): boolean {
  let level = new Set([value]);
  for (let depth = 0; depth <= DEEPEST && level.size > 0; depth++)
    level = new Set(
      [...level].flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : [])),
    );
  return level.size > 0;
}

/** Before it is parsed, which takes recursion: brackets that are open at once, and lists in lists on one line. */
function opensTooMany(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "[" || char === "{") depth++;
    else if ((char === "]" || char === "}") && depth > 0) depth--;
    if (depth > 4 * DEEPEST) return true;
  }
  return /(?:[-?] +){64}/.test(text);
}
