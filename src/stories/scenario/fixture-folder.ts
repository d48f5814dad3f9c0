// Resolves fixture folders. A scenario may name a folder relative to its file instead of a fixture: `fixture: ../my-company`.
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { findOutside } from "../../platform/bounded-file.ts";
import { isFixtureName } from "../../platform/fixture-name.ts";
import type { Loaded, Scenario } from "./scenario.ts";

/** Reads the folders. The commands provide this, because the player only uses HTTP. */
export interface FixtureFolders {
  /** Returns the problems with file and line. */
  findProblems(folder: string): Promise<readonly string[]>;
  /** Returns the fingerprint that a sandbox reports for a world with these files. */
  readFingerprint(folder: string): Promise<string>;
}

export const isFolder = (fixture: unknown): fixture is string => typeof fixture === "string" && !isFixtureName(fixture);

/** Returns an absolute path; undefined if the fixture is a name or missing. */
export function resolveFixtureFolder({
  file,
  scenario,
}: Pick<Loaded, "file"> & { scenario: Partial<Scenario> }): string | undefined {
  return isFolder(scenario.fixture) ? resolve(dirname(file), scenario.fixture) : undefined;
}

/** A folder with one of these files is the root of a project. */
const MARKS = [".git", "package.json", "sandbox.config.yaml", "sandbox.config.yml", "sandbox.config.json"];

const findProjectFolder = (folder: string): string | undefined =>
  MARKS.some((mark) => existsSync(join(folder, mark)))
    ? folder
    : dirname(folder) === folder
      ? undefined
      : findProjectFolder(dirname(folder));

/**
 * Returns why the folder of a fixture is not read. Scenarios are untrusted, so the fixture must be in the current folder or in the project
 * of the scenario. Without a project, it must be in the folder of the scenario or next to it.
 */
export function explainUnreadableFolder({ file, scenario }: Pick<Loaded, "file" | "scenario">): string | undefined {
  const folder = resolveFixtureFolder({ file, scenario });
  if (folder === undefined || findOutside(".", folder) === undefined) return undefined;
  const home = dirname(resolve(file));
  // The parent folder is the limit if the scenario is in no project.
  const project = findProjectFolder(home) ?? (findOutside(".", file) === undefined ? home : dirname(home));
  const elsewhere = findOutside(project, folder);
  return (
    elsewhere &&
    `\`${String(scenario.fixture)}\` leads to ${elsewhere}, out of ${project}. The sandbox does not read it, because scenarios are untrusted; play the scenario from a folder that contains both`
  );
}

/** Returns the problems of each fixture folder of the scenarios. */
export async function checkFolders(
  loaded: readonly Loaded[],
  folders?: Pick<FixtureFolders, "findProblems">,
): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const readable = loaded.filter((each) => explainUnreadableFolder(each) === undefined);
  for (const folder of new Set(readable.flatMap((each) => resolveFixtureFolder(each) ?? [])))
    found.set(folder, (await folders?.findProblems(folder)) ?? []);
  return found;
}

/** Formats the folder as a value of `--fixture`. */
export function toOption(folder: string): string {
  const way = relative("", folder);
  return way.startsWith(".") || isAbsolute(way) ? way : `./${way}`;
}
