// What `sandbox init` writes: the files of docs/starter, each for its place in a project. A file that exists is left alone.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { outOf } from "../bounded-file.ts";
import { packageFolder } from "../package-folder.ts";
import { Failure, messageOf } from "./fault.ts";
import { type Project, readProject } from "./starter-project.ts";

export interface Starter {
  created: readonly string[];
  /** What existed. */
  left: readonly string[];
  project: Project;
  /** What npm is to install, when the package can't be loaded from the folder. */
  install?: string;
}

interface Piece {
  /** Relative to the folder, with slashes. */
  path: string;
  text: string;
}

/** Nothing is written when one of the files has no place. */
export function writeStarter(folder: string): Starter {
  const project = readProject(folder);
  const home = installedAbove(folder);
  const pieces = piecesFor(project, join(home ?? join(folder, PACKAGE), "spec"), folder);
  for (const { path } of pieces) mustHavePlace(folder, path);
  const isNew = pieces.map((piece) => writeNew(folder, piece));
  const pathsOf = (wanted: boolean) => pieces.filter((_, index) => isNew[index] === wanted).map(({ path }) => path);
  return {
    created: pathsOf(true),
    left: pathsOf(false),
    project,
    ...(home === undefined ? { install: ownSource() } : {}),
  };
}

/** From a checkout it is the checkout. */
function ownSource(): string {
  const own = packageFolder();
  return own.replaceAll("\\", "/").endsWith(PACKAGE) ? "experience-sandbox" : own;
}

const PACKAGE = "node_modules/experience-sandbox";

function installedAbove(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, PACKAGE);
    if (existsSync(path)) return path;
    if (at === dirname(at)) return undefined;
  }
}

function piecesFor({ test }: Project, spec: string, folder: string): Piece[] {
  const starter = join(packageFolder(), "docs/starter");
  const names = readdirSync(starter, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => !name.startsWith("test/") && statSync(join(starter, name)).isFile());
  const sources = names.map((name): [from: string, to: string] => [name, name]);
  if (test) sources.push([`test/${test.template}`, test.path]);
  return sources
    .map(([from, path]) => {
      const beside = relative(dirname(join(folder, path)), spec).replaceAll("\\", "/");
      const schemas = beside.startsWith(".") ? beside : `./${beside}`;
      const text = readFileSync(join(starter, from), "utf8").replace(/(\.\.\/)+spec\//g, `${schemas}/`);
      return { path, text: test ? text : text.replace("      - run: npm test\n", "") };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function mustHavePlace(folder: string, path: string): void {
  const elsewhere = outOf(folder, dirname(join(folder, path)));
  if (elsewhere !== undefined)
    throw new Failure(
      `A link leads ${path} to ${elsewhere}, out of ${folder}. Remove the link, or name another folder: sandbox init <folder>. Nothing was written.`,
    );
  for (let at = dirname(join(folder, path)); at.startsWith(folder); at = dirname(at)) {
    if (existsSync(at) && !statSync(at).isDirectory())
      throw new Failure(
        `${relative(resolve(), at) || at} is a file, and ${path} needs a folder there. Move it, or name another folder: sandbox init <folder>. Nothing was written.`,
      );
    if (at === dirname(at)) return;
  }
}

/** Whether it was written. */
function writeNew(folder: string, { path, text }: Piece): boolean {
  const target = join(folder, path);
  try {
    if (lstatSync(target, { throwIfNoEntry: false })) return false;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new Failure(`${path} can't be written: ${messageOf(error)}. Name a folder that you may write to.`);
  }
}
