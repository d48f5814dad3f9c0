// Finds scenario files, and loads each as YAML or JSON with the line of every field. Its form is checked with spec/scenario.schema.json.

import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { explainRead, readBounded } from "../../platform/bounded-file.ts";
import { isObject } from "../../platform/json.ts";
import { findNearest } from "../../platform/nearest.ts";
import { optional } from "../../platform/optional.ts";
import { readValue, TOO_DEEP } from "./read-value.ts";
import { readRows } from "./rows.ts";
import type { Loaded, Scenario } from "./scenario.ts";
import { findShapeProblems, type ShapeProblem, suggest } from "./schema.ts";

/** The limit is much larger than any real scenario. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** An unclosed bracket is reported once per level, so the list of errors is limited. */
const MAX_ERRORS = 20;
const NO_SCENARIO = "not a scenario, which is a YAML or JSON file with a `title` and a list of `steps`";

export interface Read {
  file: string;
  /** The scenario, if the file can be read and has steps, even if it has other problems. */
  loaded?: Loaded;
  /** The problems of its form. */
  misfits: readonly ShapeProblem[];
  /** The reasons why it could not be read, with positions. */
  unreadable: readonly string[];
}

/** Does not throw. A file with an invalid form is still loaded, so that all its problems can be reported. */
export function load(file: string): Read {
  const rejectFile = (...unreadable: string[]): Read => ({ file, misfits: [], unreadable });
  let text: string;
  try {
    text = readBounded(file, { most: MAX_FILE_BYTES });
  } catch (reason) {
    return rejectFile(`${file}: ${explainRead(reason)}`);
  }
  const { errors, positionOf, value } = readValue(text);
  const [error] = errors;
  // An invalid YAML file that is no scenario must not be reported as an invalid scenario.
  if (error && error.message !== TOO_DEEP && !isLikelyScenario(text)) return rejectFile(`${file}: ${NO_SCENARIO}`);
  if (error)
    return rejectFile(
      ...errors.slice(0, MAX_ERRORS).map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`),
    );
  if (!isObject(value)) return rejectFile(`${file}: ${NO_SCENARIO}`);
  if (value.steps === undefined) {
    const misspelt = findMisspeltSteps(value);
    if (misspelt === undefined) return rejectFile(`${file}: ${NO_SCENARIO}`);
    const { line, column } = positionOf([misspelt]);
    return rejectFile(`${file}:${line}:${column}: ${suggest("member", misspelt, ["steps"])}`);
  }
  const scenario = value as unknown as Scenario;
  const { rows, misfits } = readRows(file, value.each);
  return {
    file,
    loaded: { file, scenario, locate: positionOf, ...optional({ rows }) },
    misfits: [...findShapeProblems(value), ...misfits],
    unreadable: [],
  };
}

/** Returns whether the text has a top-level `steps`: at the start of a line in YAML, or anywhere in JSON. */
function isLikelyScenario(text: string): boolean {
  return /^\s*\{/.test(text) ? /["']?steps["']?\s*:/.test(text) : /^["']?steps["']? *:/m.test(text);
}

/** Returns the name of a list that is probably a misspelled `steps`: the file has a title, and the items have names. */
function findMisspeltSteps(value: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof value.title !== "string") return undefined;
  const isStep = (item: unknown) => isObject(item) && typeof item.name === "string";
  return Object.keys(value).find((name) => {
    const list = value[name];
    return findNearest(name, ["steps"]) !== undefined && Array.isArray(list) && list.some(isStep);
  });
}

const hasTitle = (text: string): boolean => /^[ \t{]*["']?title["']? *:/m.test(text);

/** Returns whether a file is intended as a scenario, because most files of a project are not. */
function hasSteps(file: string): boolean {
  try {
    // Any encoding is accepted here, so that a scenario in an invalid encoding is reported and not skipped.
    const text = readBounded(file, { most: MAX_FILE_BYTES, decode: (bytes) => bytes.toString() });
    if (!isLikelyScenario(text) && !hasTitle(text)) return false;
  } catch {
    return false;
  }
  return !load(file).unreadable.some((problem) => problem.endsWith(NO_SCENARIO));
}

// Folders: every YAML or JSON file with `steps` is a scenario. Installed packages, hidden folders, and links that lead out of the folder are
// skipped.

const ENDINGS = [".yaml", ".yml", ".json"];
const PASSED_BY = "node_modules";

/** Returns the scenario files that the paths name. */
export function findScenarioFiles(paths: readonly string[]): { files: string[]; problems: string[] } {
  const files: string[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    if (!existsSync(path)) {
      problems.push(`${path}: there is no such file or folder`);
      continue;
    }
    const found = statSync(path).isDirectory() ? listFiles(path, realpathSync(path)) : [path];
    if (found.length === 0)
      problems.push(`${path}: no scenario here; they end in ${ENDINGS.join(", ")} and have \`steps\``);
    files.push(...found);
  }
  return { files: [...new Set(files)], problems };
}

function listFiles(folder: string, root: string): string[] {
  // The files are sorted by name, so that scenarios run in the same order everywhere.
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries
    .filter(({ name }) => !name.startsWith(".") && name !== PASSED_BY)
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return listFiles(path, root);
      return ENDINGS.includes(extname(entry.name)) && isFileWithin(entry, path, root) && hasSteps(path) ? [path] : [];
    });
}

function isFileWithin(entry: Dirent, path: string, root: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  if (!existsSync(path) || !statSync(path).isFile()) return false;
  return !relative(root, realpathSync(path)).startsWith("..");
}
