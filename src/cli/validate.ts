// sandbox validate: checks fixtures and scenarios without running anything, and names file, line and fault.
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { holdsFixture } from "../fixtures/parts.ts";
import { type Call, type Command, jsonOption } from "./command.ts";
import { Misuse } from "./fault.ts";
import { count } from "./terminal.ts";

export const validate: Command = {
  name: "validate",
  summary: "Check fixtures and scenarios; name file, line and fault.",
  arguments: [["<file...>", "A fixture's folder or a file in it, a scenario, or a folder of scenarios."]],
  options: [jsonOption],
  epilogue: "  sandbox validate ./my-fixture scenarios/last-seat-is-sold-once.yaml",
  run: validateAll,
};

type Subject = { path: string; kind: "fixture" | "scenario" };

async function validateAll({ args, given, terminal }: Call): Promise<number> {
  const subjects = args.flatMap(subjectsOf);
  const items = [];
  for (const subject of unique(subjects)) items.push({ ...subject, faults: await faultsOf(subject) });
  const broken = items.filter(({ faults }) => faults.length > 0);
  if (given.flag("json")) terminal.json({ ok: broken.length === 0, items });
  else {
    for (const { faults } of broken) for (const fault of faults) terminal.print(fault);
    const sound = `${count(items.length, "file or folder", "files and folders")} checked`;
    terminal.say(broken.length === 0 ? `${sound}; nothing wrong.` : `${sound}; ${broken.length} not sound.`);
  }
  return broken.length === 0 ? 0 : 1;
}

async function faultsOf({ path, kind }: Subject): Promise<readonly string[]> {
  const { fixtureFaults, shippedFixtures } = await import("./fixture-faults.ts");
  if (kind === "fixture") return fixtureFaults(path);
  return (await import("../scenario/index.ts")).validateScenarioFile(path, shippedFixtures());
}

function subjectsOf(path: string): Subject[] {
  if (!existsSync(path)) throw new Misuse(`There is no ${path}. Name a fixture's folder, or a scenario.`);
  if (!statSync(path).isDirectory()) return [fileSubject(path)];
  if (holdsFixture(path)) return [{ path: folder(path), kind: "fixture" }];
  const entries = readdirSync(path)
    .sort()
    .map((name) => join(path, name));
  const found = entries
    .filter((entry) => statSync(entry).isDirectory() || isScenario(entry))
    .flatMap((entry) => inside(entry));
  if (found.length === 0)
    throw new Misuse(
      `${path} holds no fixture and no scenario. Name a folder with a world.json, or with .yaml or .json files.`,
    );
  return found;
}

/** Within a folder of folders only what is a fixture or a scenario counts. */
function inside(entry: string): Subject[] {
  if (!statSync(entry).isDirectory()) return [{ path: entry, kind: "scenario" }];
  return holdsFixture(entry) ? [{ path: folder(entry), kind: "fixture" }] : [];
}

function fileSubject(path: string): Subject {
  const isPart = !/\.ya?ml$/.test(path) && holdsFixture(dirname(path));
  return isPart ? { path: folder(dirname(path)), kind: "fixture" } : { path, kind: "scenario" };
}

/** A path, so that it is not taken for the name of a shipped fixture. */
function folder(path: string): string {
  return path === basename(path) ? `./${path}` : path;
}

function isScenario(path: string): boolean {
  return /\.(ya?ml|json)$/.test(path);
}

function unique(subjects: readonly Subject[]): Subject[] {
  return [...new Map(subjects.map((subject) => [subject.path, subject])).values()];
}
