// Reads the rows of a scenario with `each`, from its list or from a JSON or CSV file in its folder. Every row is a separate run in a fresh
// world.
import { dirname, join } from "node:path";
import { explainRead, findOutside, readBounded } from "../../platform/bounded-file.ts";
import type { Json, JsonObject } from "../../platform/json.ts";
import { parseCsvRows } from "./csv.ts";
import { isObject } from "./match.ts";
import { readValue } from "./read-value.ts";
import { findReferences, ReferenceUnknown, resolve } from "./refs.ts";
import type { Loaded } from "./scenario.ts";
import type { ShapeProblem } from "./schema.ts";

const MAX_BYTES = 4 * 1024 * 1024;
/** The limit keeps the number of runs reasonable. */
const MAX_ROWS = 1000;

interface Rows {
  rows?: readonly JsonObject[];
  misfits: readonly ShapeProblem[];
}

export function readRows(file: string, each: unknown): Rows {
  if (each === undefined) return { misfits: [] };
  if (typeof each === "string") return readRowsFile(file, each);
  return checkRows(
    each,
    (index) => ["each", ...index],
    () => "",
  );
}

function readRowsFile(file: string, name: string): Rows {
  const folder = dirname(file);
  const path = join(folder, name);
  const rejectRows = (reason: string): Rows => ({ misfits: [{ path: ["each"], reason }] });
  // Scenarios are untrusted, so they must not read files elsewhere.
  if (findOutside(folder, path) !== undefined)
    return rejectRows(`\`${name}\` leads out of the folder of the scenario; put the rows into it`);
  let text: string;
  try {
    text = readBounded(path, { most: MAX_BYTES, within: folder });
  } catch (reason) {
    return rejectRows(`\`${name}\` ${explainRead(reason)}`);
  }
  if (name.endsWith(".csv")) {
    const { rows, problems } = parseCsvRows(text);
    if (problems.length > 0)
      return {
        misfits: problems.map(({ line, reason }) => ({ path: ["each"], reason: `${path}:${line}: ${reason}` })),
      };
    return checkRows(
      rows,
      () => ["each"],
      () => `${path}: `,
    );
  }
  const { errors, positionOf, value } = readValue(text);
  const [error] = errors;
  if (error) return rejectRows(`${path}:${error.line}:${error.column}: ${error.message}`);
  return checkRows(
    value,
    () => ["each"],
    (index) => {
      const { line, column } = positionOf(index);
      return `${path}:${line}:${column}: `;
    },
  );
}

/** Checks that rows are objects with the same columns. */
function checkRows(
  rows: unknown,
  pathOf: (index: readonly number[]) => (string | number)[],
  before: (index: readonly number[]) => string,
): Rows {
  const createProblem = (reason: string, ...index: number[]) => ({
    path: pathOf(index),
    reason: `${before(index)}${reason}`,
  });
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > MAX_ROWS)
    return { misfits: [createProblem(`rows are a list of 1 to ${MAX_ROWS} objects`)] };
  // The first row defines the columns.
  const columns = isObject(rows[0]) ? Object.keys(rows[0]) : [];
  const misfits = rows.flatMap((row: Json, index) => {
    if (!isObject(row)) return [createProblem("a row is an object: column and value", index)];
    const lacks = columns.filter((name) => !Object.hasOwn(row, name));
    const extra = Object.keys(row).filter((name) => !columns.includes(name));
    return [
      ...lacks.map((name) => createProblem(`the row has no \`${name}\`, which the first row has`, index)),
      ...extra.map((name) => createProblem(`the row has \`${name}\`, which the first row has not`, index)),
    ];
  });
  return misfits.length > 0 ? { misfits } : { rows: rows as JsonObject[], misfits };
}

/** Returns one run for each row, with the row in the title. */
export function expandRuns(loaded: Loaded): Loaded[] {
  const { rows, scenario } = loaded;
  if (!rows) return [loaded];
  return rows.map((row, index) => ({
    ...loaded,
    row,
    scenario: { ...scenario, title: formatTitle(scenario.title, row, index) },
  }));
}

function formatTitle(title: string, row: JsonObject, index: number): string {
  const [first = ""] = Object.values(row);
  const numbered = `${title} (row ${index + 1}: ${typeof first === "string" ? first : JSON.stringify(first)})`;
  if (findReferences(title).length === 0) return numbered;
  try {
    return String(resolve(title as Json, new Map([["row", row]])));
  } catch (reason) {
    if (!(reason instanceof ReferenceUnknown)) throw reason;
    return numbered;
  }
}
