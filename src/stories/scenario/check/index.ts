// Finds all problems of a scenario before anything runs: those of its form, and names that the sandbox does not know. The time is linear
// in the size of the scenario.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type Json } from "../../../platform/json.ts";
import type { Position } from "../../../platform/positions.ts";
import { explainUnreadableFolder, resolveFixtureFolder, toOption } from "../fixture-folder.ts";
import type { Read } from "../load.ts";
import type { Known } from "../operations.ts";
import { findReferences } from "../refs.ts";
import type { Loaded, Scenario } from "../scenario.ts";
import { MAX_REPORTED } from "../schema.ts";
import { suggest } from "../unknown.ts";
import { checkHead, checkSteps, type StepSurroundings } from "./steps.ts";
import { checkAssumptions, type Say } from "./values.ts";

/** Returns "file:line:column: reason" in the order of the file. Without `known`, only the form is checked, which needs no sandbox. */
export function findProblems({ file, loaded, misfits, unreadable }: Read, known?: Known): string[] {
  if (!loaded) return [...unreadable];
  const problems: { at: Position; reason: string }[] = misfits.map(({ path, reason }) => ({
    at: loaded.locate(path),
    reason,
  }));
  // A value with an invalid form is reported once.
  const misshapen = new Set(misfits.filter(({ lacks }) => lacks === undefined).map(({ path }) => path.join("/")));
  const hasEnough = () => problems.length > MAX_REPORTED;
  const say: Say = (path, reason) => {
    if (!hasEnough() && !misshapen.has(path.join("/"))) problems.push({ at: loaded.locate(path), reason });
  };
  if (known) checkScenario(loaded, known, { say, enough: hasEnough });
  // The problems are sorted by their position in the file.
  problems.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
  const lines = problems.map(({ at, reason }) => `${file}:${at.line}:${at.column}: ${reason}`);
  const more = lines.length > MAX_REPORTED ? [`${file}: there are more problems; fix these first`] : [];
  return [...new Set(lines.slice(0, MAX_REPORTED)), ...more];
}

function checkScenario(loaded: Loaded, known: Known, { say, enough }: Pick<StepSurroundings, "say" | "enough">): void {
  const { scenario } = loaded;
  const { steps, given }: Partial<Scenario> = scenario;
  checkFixture(loaded, known, say);
  checkAssumptions(scenario.assume, ["assume"], known, say);
  if (!Array.isArray(steps)) return;
  const columns = listColumns(loaded);
  if (Array.isArray(columns)) checkTitle(scenario.title, columns, say);
  const around = { say, enough, known, given: isObject(given) ? given : {}, columns };
  checkHead(scenario, around);
  checkSteps(steps as unknown as Json[], ["steps"], around);
}

function listColumns({ rows, scenario }: Loaded): StepSurroundings["columns"] {
  if (rows) return Object.keys(rows[0] ?? {});
  return scenario.each === undefined ? undefined : "unread";
}

/** The title is printed before the first step, so it can only refer to the row. */
function checkTitle(title: string, columns: readonly string[], say: Say): void {
  for (const { text } of findReferences(title)) {
    const [root, column] = text.trim().split(/[.[\]]+/);
    if (root !== "row") say(["title"], `a title can refer to \`row\` only (in \${${text}})`);
    else if (column === undefined || !columns.includes(column))
      say(["title"], suggest("column", column ?? "", columns));
  }
}

function checkFixture(loaded: Loaded, { fixtures, folders }: Known, say: Say): void {
  const { fixture }: Partial<Scenario> = loaded.scenario;
  const folder = resolveFixtureFolder(loaded);
  const reason = explainUnreadableFolder(loaded);
  if (reason !== undefined) say(["fixture"], reason);
  // The first problem is enough, because `sandbox validate` lists all problems of the fixture.
  const [first, ...others] = folders?.get(folder ?? "") ?? [];
  const more = others.length > 0 ? ` (and ${others.length} more: sandbox validate ${toOption(folder ?? "")})` : "";
  if (first !== undefined) say(["fixture"], `the fixture has a fault: ${first}${more}`);
  if (folder === undefined && typeof fixture === "string" && fixtures && !fixtures.includes(fixture))
    say(["fixture"], suggest("fixture", fixture, fixtures) + suggestFolder(loaded.file, fixture));
}

function suggestFolder(file: string, name: string): string {
  return existsSync(join(dirname(file), name, "world.json")) ? `; the folder beside this file is \`./${name}\`` : "";
}
