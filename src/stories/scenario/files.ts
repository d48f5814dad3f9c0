// Finds scenarios: named files, and in folders every YAML or JSON file with `steps`. Installed packages, hidden folders, and links that
// lead out of the folder are skipped.
import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { hasSteps } from "./load.ts";

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
