// A scenario may begin with a folder instead of a fixture that the sandbox has by name: `fixture: ../my-company`, relative to its file.
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { findOutside } from "../../platform/bounded-file.ts";
import { isFixtureName } from "../../platform/fixture-name.ts";
import type { Loaded, Scenario } from "./scenario.ts";

/** How the folders are read: not by a client of the sandbox, but by the commands around it. */
export interface FixtureFolders {
  /** Each with file and line. */
  problemsOf(folder: string): Promise<readonly string[]>;
  /** As a sandbox tells it of a world that began with these files. */
  fingerprintOf(folder: string): Promise<string>;
}

export const isFolder = (fixture: unknown): fixture is string => typeof fixture === "string" && !isFixtureName(fixture);

/** An absolute path; undefined where the fixture is one by name, or none is named. */
export function resolveFixtureFolder({
  file,
  scenario,
}: Pick<Loaded, "file"> & { scenario: Partial<Scenario> }): string | undefined {
  return isFolder(scenario.fixture) ? resolve(dirname(file), scenario.fixture) : undefined;
}

/** By these a folder is the whole of a project. */
const MARKS = [".git", "package.json", "sandbox.config.yaml", "sandbox.config.yml", "sandbox.config.json"];

const findProjectFolder = (folder: string): string | undefined =>
  MARKS.some((mark) => existsSync(join(folder, mark)))
    ? folder
    : dirname(folder) === folder
      ? undefined
      : findProjectFolder(dirname(folder));

/**
 * Why the folder of a fixture is not read. A scenario may come from anybody: its fixture is in the folder where the command was typed, or in
 * the project of the scenario. One that is elsewhere, in no project, has its fixture beside its own folder at most.
 */
export function explainUnreadableFolder({ file, scenario }: Pick<Loaded, "file" | "scenario">): string | undefined {
  const folder = resolveFixtureFolder({ file, scenario });
  if (folder === undefined || findOutside(".", folder) === undefined) return undefined;
  const home = dirname(resolve(file));
  // Outside of every project only the folder itself, or the one around it, can be meant.
  const project = findProjectFolder(home) ?? (findOutside(".", file) === undefined ? home : dirname(home));
  const elsewhere = findOutside(project, folder);
  return (
    elsewhere &&
    `\`${String(scenario.fixture)}\` leads to ${elsewhere}, out of ${project}. A scenario may come from anybody, so it is not read; play it from a folder that holds both`
  );
}

/** What is wrong with each folder that the scenarios begin with. */
export async function checkFolders(
  loaded: readonly Loaded[],
  folders?: Pick<FixtureFolders, "problemsOf">,
): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const readable = loaded.filter((each) => explainUnreadableFolder(each) === undefined);
  for (const folder of new Set(readable.flatMap((each) => resolveFixtureFolder(each) ?? [])))
    found.set(folder, (await folders?.problemsOf(folder)) ?? []);
  return found;
}

/** As `--fixture` takes it from here. */
export function toOption(folder: string): string {
  const way = relative("", folder);
  return way.startsWith(".") || isAbsolute(way) ? way : `./${way}`;
}
