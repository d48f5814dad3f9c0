// sandbox validate: checks fixtures and scenarios without running anything, and names file, line and problem.
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { holdsFixture } from "../../engine/fixtures/index.ts";
import { count } from "../../platform/count.ts";
import { type Call, type Command, jsonOption } from "../command.ts";
import { Misuse } from "../failure.ts";
import { ownFolders, startOwnSandbox } from "../own-sandbox.ts";

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
  const { filesAt, validateScenarios } = await import("../../stories/scenario/index.ts");
  const subjects = unique(args.flatMap((path) => subjectsOf(path, (folder) => filesAt([folder]).files)));
  const scenarios = subjects.filter(({ kind }) => kind === "scenario").map(({ path }) => path);
  const validated = await validateScenarios(scenarios, { start: startOwnSandbox, folders: ownFolders });
  const ofScenario = new Map(scenarios.map((path, index) => [path, validated[index] ?? []]));
  const items = [];
  // One after another: a fixture is played, which takes the processor anyway.
  for (const { path, kind } of subjects)
    items.push({
      path,
      kind,
      faults: kind === "fixture" ? await problemsOfFixture(path) : (ofScenario.get(path) ?? []),
    });
  const broken = items.filter(({ faults }) => faults.length > 0);
  if (given.flag("json")) terminal.json({ ok: broken.length === 0, items });
  else {
    for (const { faults: problems } of broken) for (const problem of problems) terminal.print(problem);
    const sound = `${count(items.length, "file or folder", "files and folders")} checked`;
    terminal.say(broken.length === 0 ? `${sound}; nothing wrong.` : `${sound}; ${broken.length} not sound.`);
  }
  return broken.length === 0 ? 0 : 1;
}

async function problemsOfFixture(path: string): Promise<readonly string[]> {
  return (await import("../terminal/fixture-problems.ts")).fixtureProblems(path);
}

/** A folder is a fixture, or holds fixtures and scenarios. */
function subjectsOf(path: string, scenariosIn: (folder: string) => string[]): Subject[] {
  if (!existsSync(path)) throw new Misuse(`There is no ${path}. Name a fixture's folder, or a scenario.`);
  if (!statSync(path).isDirectory()) return [fileSubject(path)];
  if (holdsFixture(path)) return [{ path: folder(path), kind: "fixture" }];
  const inside = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const fixtures = inside
    .map(({ name }) => join(path, name))
    .filter(holdsFixture)
    .sort();
  const found: Subject[] = [
    ...fixtures.map((each): Subject => ({ path: folder(each), kind: "fixture" })),
    ...scenariosIn(path).map((each): Subject => ({ path: each, kind: "scenario" })),
  ];
  if (found.length === 0)
    throw new Misuse(
      `${path} holds no fixture and no scenario. Name a folder with a world.json, or with .yaml or .json files that have \`steps\`.`,
    );
  return found;
}

function fileSubject(path: string): Subject {
  // A scenario may lie in the folder of a fixture; a JSON file there is part of it.
  const isPart = !/\.ya?ml$/.test(path) && holdsFixture(dirname(path));
  return isPart ? { path: folder(dirname(path)), kind: "fixture" } : { path, kind: "scenario" };
}

/** A path, so that it is not taken for the name of a shipped fixture. */
function folder(path: string): string {
  return path === basename(path) ? `./${path}` : path;
}

function unique(subjects: readonly Subject[]): Subject[] {
  return [...new Map(subjects.map((subject) => [subject.path, subject])).values()];
}
