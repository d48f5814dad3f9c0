// A scenario may begin with a folder instead of a fixture that the sandbox has by name: `fixture: ../my-company`, relative to its file.
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { isFixtureName } from "../fixture-name.ts";
import type { Loaded, Scenario } from "./scenario.ts";

/** How the folders are read: not by a client of the sandbox, but by the commands around it. */
export interface FixtureFolders {
  /** Each with file and line. */
  faultsOf(folder: string): Promise<readonly string[]>;
  /** As a sandbox tells it of a world that began with these files. */
  fingerprintOf(folder: string): Promise<string>;
}

export const isFolder = (fixture: unknown): fixture is string => typeof fixture === "string" && !isFixtureName(fixture);

export function folderOf({
  file,
  scenario,
}: Pick<Loaded, "file"> & { scenario: Partial<Scenario> }): string | undefined {
  return isFolder(scenario.fixture) ? resolve(dirname(file), scenario.fixture) : undefined;
}

/** What is wrong with each folder that the scenarios begin with. */
export async function checkFolders(
  loaded: readonly Loaded[],
  folders?: Pick<FixtureFolders, "faultsOf">,
): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const folder of new Set(loaded.flatMap((each) => folderOf(each) ?? [])))
    found.set(folder, (await folders?.faultsOf(folder)) ?? []);
  return found;
}

/** As `--fixture` takes it from here. */
export function asOption(folder: string): string {
  const way = relative("", folder);
  return way.startsWith(".") || isAbsolute(way) ? way : `./${way}`;
}
