// sandbox validate: checks fixtures and scenarios without starting a server, and prints file, line and problem.
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isFixtureFolder } from "../../engine/fixtures/index.ts";
import { count } from "../../platform/count.ts";
import { type Call, type Command, jsonOption } from "../command.ts";
import { Misuse } from "../failure.ts";
import { ownFolders, startOwnSandbox } from "../own-sandbox.ts";

export const validate: Command = {
  name: "validate",
  summary: "Check fixtures and scenarios; print file, line, problem.",
  arguments: [["<file...>", "The folder of a fixture or a file in it, a scenario, or a folder of scenarios."]],
  options: [jsonOption],
  epilogue: "  sandbox validate ./my-fixture scenarios/last-seat-is-sold-once.yaml",
  run: validateAll,
};

type Subject = { path: string; kind: "fixture" | "scenario" };

async function validateAll({ args, given, terminal }: Call): Promise<number> {
  const { findScenarioFiles, validateScenarios } = await import("../../stories/scenario/index.ts");
  const { findFixtureProblems } = await import("../terminal/fixture-problems.ts");
  const found = args.flatMap((path) => findSubjects(path, findScenarioFiles));
  const subjects = [...new Map(found.map((subject) => [subject.path, subject])).values()];
  const scenarios = subjects.filter(({ kind }) => kind === "scenario").map(({ path }) => path);
  const validated = await validateScenarios(scenarios, { start: startOwnSandbox, folders: ownFolders });
  const faultsByScenario = new Map(scenarios.map((path, index) => [path, validated[index] ?? []]));
  const items = [];
  // Fixtures are checked one at a time, because each check uses the processor fully.
  for (const { path, kind } of subjects)
    items.push({ path, kind, faults: faultsByScenario.get(path) ?? (await findFixtureProblems(path)) });
  const broken = items.filter(({ faults }) => faults.length > 0);
  if (given.flag("json")) terminal.json({ ok: broken.length === 0, items });
  else {
    for (const problem of broken.flatMap(({ faults }) => faults)) terminal.print(problem);
    const checked = `${count(items.length, "file or folder", "files and folders")} checked`;
    terminal.say(broken.length === 0 ? `${checked}, all valid.` : `${checked}, ${broken.length} invalid.`);
  }
  return broken.length === 0 ? 0 : 1;
}

/** A folder is a fixture, or contains fixtures and scenarios. */
function findSubjects(path: string, findFiles: (paths: string[]) => { files: string[] }): Subject[] {
  if (!existsSync(path)) throw new Misuse(`There is no ${path}. Name the folder of a fixture, or a scenario.`);
  // With `./`, a folder is not taken for the name of a shipped fixture.
  const toFixture = (folder: string): Subject => ({
    path: folder === basename(folder) ? `./${folder}` : folder,
    kind: "fixture",
  });
  const toScenario = (file: string): Subject => ({ path: file, kind: "scenario" });
  if (!statSync(path).isDirectory()) {
    // A YAML file in the folder of a fixture is a scenario, a JSON file is part of the fixture.
    const isPart = !/\.ya?ml$/.test(path) && isFixtureFolder(dirname(path));
    return [isPart ? toFixture(dirname(path)) : toScenario(path)];
  }
  if (isFixtureFolder(path)) return [toFixture(path)];
  const fixtures = readdirSync(path)
    .map((name) => join(path, name))
    .filter(isFixtureFolder);
  const found = [...fixtures.sort().map(toFixture), ...findFiles([path]).files.map(toScenario)];
  if (found.length > 0) return found;
  throw new Misuse(
    `${path} contains no fixture and no scenario. Name a folder with a world.json, or with .yaml or .json files that have \`steps\`.`,
  );
}
