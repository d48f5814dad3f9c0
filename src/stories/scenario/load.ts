// A scenario file, read as YAML or JSON and held against spec/scenario.schema.json, with the line of every member.
import { explainRead, readBounded } from "../../platform/bounded-file.ts";
import type { Json, JsonObject } from "../../platform/json.ts";
import { findNearest } from "../../platform/nearest.ts";
import { optional } from "../../platform/optional.ts";
import { isObject } from "./match.ts";
import { hasTooManyBrackets, isTooDeep, readText, TOO_DEEP } from "./read-text.ts";
import { readRows } from "./rows.ts";
import type { Loaded, Scenario } from "./scenario.ts";
import { findShapeProblems, type ShapeProblem } from "./schema.ts";
import { suggest } from "./unknown.ts";

/** Bytes; far beyond what anybody writes. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** One that is not closed is reported for every level it is in. */
const MOST_NAMED = 20;
const NO_SCENARIO = "not a scenario, which is a YAML or JSON file with a `title` and a list of `steps`";

export interface Read {
  file: string;
  /** When it can be read and has steps, whatever else is wrong with it. */
  loaded?: Loaded;
  /** What is wrong with its form, when it has one. */
  misfits: readonly ShapeProblem[];
  /** Why it could not be read, with the position. */
  unreadable: readonly string[];
}

/** Never throws. A file that has the wrong form is still loaded, so that all its mistakes can be reported. */
export function load(file: string): Read {
  const rejectFile = (...unreadable: string[]): Read => ({ file, misfits: [], unreadable });
  let text: string;
  try {
    text = readBounded(file, { most: MAX_FILE_BYTES });
  } catch (reason) {
    return rejectFile(`${file}: ${explainRead(reason)}`);
  }
  if (hasTooManyBrackets(text)) return rejectFile(`${file}:1:1: ${TOO_DEEP}`);
  const { errors, positionOf, value: read } = readText(text);
  // A broken YAML file that is no scenario should not be reported as a broken scenario.
  if (errors.length > 0 && !isLikelyScenario(text)) return rejectFile(`${file}: ${NO_SCENARIO}`);
  if (errors.length > 0)
    return rejectFile(
      ...errors.slice(0, MOST_NAMED).map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`),
    );
  let value: unknown;
  try {
    value = read();
  } catch (reason) {
    // Aliases that unfold to more than any scenario says, or that nothing stands behind.
    return rejectFile(`${file}:1:1: ${(reason as Error).message}`);
  }
  // After aliases were unfolded, which can make a shallow text deep.
  if (isTooDeep(value)) return rejectFile(`${file}:1:1: ${TOO_DEEP}`);
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

/** `steps` as a member of the whole: at the margin in YAML, anywhere in what begins with a brace. */
function isLikelyScenario(text: string): boolean {
  return /^\s*\{/.test(text) ? /["']?steps["']?\s*:/.test(text) : /^["']?steps["']? *:/m.test(text);
}

/** The name of a list of named things in a file with a title, where it is nearly that of the steps. */
function findMisspeltSteps(value: JsonObject): string | undefined {
  if (typeof value.title !== "string") return undefined;
  const isStep = (item: Json) => isObject(item) && typeof item.name === "string";
  return Object.keys(value).find((name) => {
    const list = value[name];
    return findNearest(name, ["steps"]) !== undefined && Array.isArray(list) && list.some(isStep);
  });
}

const hasTitle = (text: string): boolean => /^[ \t{]*["']?title["']? *:/m.test(text);

/** Whether a file among others is meant as a scenario: of a project's files only few are. */
export function hasSteps(file: string): boolean {
  try {
    // In any encoding: one that can't be read as a scenario is reported, and not passed by.
    const text = readBounded(file, { most: MAX_FILE_BYTES, decode: (bytes) => bytes.toString() });
    if (!isLikelyScenario(text) && !hasTitle(text)) return false;
  } catch {
    return false;
  }
  return !load(file).unreadable.some((problem) => problem.endsWith(NO_SCENARIO));
}
