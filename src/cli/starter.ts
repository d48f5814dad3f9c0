// Writes the files of `sandbox init` from docs/starter into a project. Existing files are left unchanged, except for a workflow that an
// earlier run wrote and that was not edited since.
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { findOutside, readBounded } from "../platform/bounded-file.ts";
import { makeFolder } from "../platform/make-folder.ts";
import { getPackageRoot } from "../platform/package-folder.ts";
import { Failure, toMessage } from "./failure.ts";
import { packageManagers } from "./installers.ts";
import { addPackageScript } from "./package-script.ts";
import { type Language, listAllTestSteps, listTestSteps, type Project, readProject } from "./starter-project.ts";
import { writeWhole } from "./whole-file.ts";

export interface Starter {
  created: readonly string[];
  /** Files of an earlier run that were updated. */
  updated: readonly string[];
  /** Existing files, which are unchanged. */
  left: readonly string[];
  project: Project;
  /** True if the script `sandbox` was added to package.json. */
  hasNewScript: boolean;
  /** The package to install; undefined if it is installed already. */
  install?: string;
}

interface StarterFile {
  /** The path relative to the folder, with slashes. */
  path: string;
  text: string;
  /** Texts that an earlier run may have written to this path. */
  earlier?: readonly string[];
}

type WriteResult = "created" | "updated" | "left";

/** Writes all files, or throws a Failure before writing anything if one of the paths is not free. */
export function writeStarter(folder: string, language?: Language): Starter {
  const project = readProject(folder, language);
  // The files refer to schemas in the folder of the package.
  const home = findInstalledPackage(folder);
  const pieces = createFiles(project, join(home ?? join(folder, PACKAGE), "spec"), folder);
  // All paths are checked first, because a partial project would be worse than none.
  for (const { path } of pieces) assertPathFree(folder, path);
  const fates = pieces.map((piece) => write(folder, piece));
  const listPaths = (wanted: WriteResult) =>
    pieces.filter((_, index) => fates[index] === wanted).map(({ path }) => path);
  return {
    created: listPaths("created"),
    updated: listPaths("updated"),
    left: listPaths("left"),
    project,
    hasNewScript: addPackageScript(folder),
    ...(home === undefined ? { install: getInstallSource() } : {}),
  };
}

/** Returns the package to install. For a checkout, this is its folder, which npm installs by path. */
function getInstallSource(): string {
  const own = getPackageRoot();
  return own.replaceAll("\\", "/").endsWith(PACKAGE) ? "experience-sandbox" : own;
}

const PACKAGE = "node_modules/experience-sandbox";

function findInstalledPackage(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, PACKAGE);
    if (existsSync(path)) return path;
    if (at === dirname(at)) return undefined;
  }
}

function createFiles(project: Project, spec: string, folder: string): StarterFile[] {
  const starter = join(getPackageRoot(), "docs/starter");
  const names = readdirSync(starter, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => !name.startsWith("test/") && statSync(join(starter, name)).isFile());
  const sources = names.map((name): [from: string, to: string] => [name, name]);
  if (project.test) sources.push([`test/${project.test.template}`, project.test.path]);
  return sources
    .map(([from, path]) => {
      // Editors need the path of the schema relative to the written file.
      const beside = relative(dirname(join(folder, path)), spec).replaceAll("\\", "/");
      const schemas = beside.startsWith(".") ? beside : `./${beside}`;
      const text = readFileSync(join(starter, from), "utf8").replace(/(\.\.\/)+spec\//g, `${schemas}/`);
      return path.endsWith("contract.yml") ? createWorkflow(path, text, project) : { path, text };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Adapts the workflow of docs/starter, which is for npm, to the package manager and the test. */
function createWorkflow(path: string, ofNpm: string, { manager, test }: Project): StarterFile {
  const renderWorkflow = (by: typeof manager, steps: readonly string[]) =>
    ofNpm
      .replace("- run: npm ci", by.steps.map((step) => `- ${step}`).join("\n      "))
      .replaceAll("npx --no-install sandbox", `${by.exec} sandbox`)
      .replace("      - run: npm test\n", steps.map((step) => `      - run: ${step}\n`).join(""));
  // A workflow that is none of these texts was edited by the user.
  const earlier = packageManagers.flatMap((by) => listAllTestSteps(by).map((steps) => renderWorkflow(by, steps)));
  return { path, text: renderWorkflow(manager, listTestSteps(test)), earlier };
}

function assertPathFree(folder: string, path: string): void {
  const elsewhere = findOutside(folder, dirname(join(folder, path)));
  if (elsewhere !== undefined)
    throw new Failure(
      `${path} points through a link to ${elsewhere}, outside ${folder}. Remove the link, or name another folder: sandbox init <folder>. Nothing was written.`,
    );
  // A file may exist where a folder is needed.
  for (let at = dirname(join(folder, path)); at.startsWith(folder); at = dirname(at)) {
    if (existsSync(at) && !statSync(at).isDirectory())
      throw new Failure(
        `${relative(resolve(), at) || at} is a file, and ${path} needs a folder there. Move it, or name another folder: sandbox init <folder>. Nothing was written.`,
      );
    if (at === dirname(at)) return;
  }
}

function write(folder: string, { path, text, earlier }: StarterFile): WriteResult {
  const target = join(folder, path);
  try {
    const there = lstatSync(target, { throwIfNoEntry: false });
    if (there) {
      const old = earlier && there.isFile() ? readBounded(target) : text;
      if (old === text || !earlier?.includes(old)) return "left";
      writeWhole(target, text, true);
      return "updated";
    }
    makeFolder(dirname(target));
    writeFileSync(target, text, { flag: "wx" });
    return "created";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return "left";
    throw new Failure(`${path} can't be written: ${toMessage(error)}. Name a folder that you may write to.`);
  }
}
