// sandbox init: adds a starter setup to a project: configuration, fixture, scenario, test and CI workflow.
import { existsSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { type Call, type Command, jsonOption, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import type { Starter } from "../starter.ts";
import { LANGUAGES, type Language } from "../starter-project.ts";
import { fitColumns } from "../terminal/terminal.ts";

export const init: Command = {
  name: "init",
  summary: "Add a starter setup: fixture, scenario, test, CI.",
  arguments: [["[folder]", "Where to write; default: here. Existing files are not changed."]],
  options: [
    option.text("lang", "LANGUAGE", "Language of the test; default: that of the project.", { choices: LANGUAGES }),
    jsonOption,
  ],
  epilogue: "  sandbox init\n  sandbox init ./contract-tests --lang python",
  run: writeStart,
};

async function writeStart({ args, given, terminal }: Call): Promise<number> {
  const [name = "."] = args;
  const folder = resolve(name);
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw new Misuse(`${name} is a file. Name a folder.`);
  const { writeStarter } = await import("../starter.ts");
  const starter = writeStarter(folder, given.text("lang") as Language | undefined);
  const { created, updated, left, project, hasNewScript } = starter;
  const next = listNextSteps(starter, folder);
  if (given.flag("json")) {
    const { language, manager, test } = project;
    terminal.json({
      ok: true,
      folder,
      created,
      updated,
      left,
      script: hasNewScript,
      language,
      manager: manager.name,
      runner: test?.runner ?? null,
      next: next.map(([line]) => line),
    });
    return 0;
  }
  const indentRows = (rows: readonly (readonly string[])[]): string[] =>
    fitColumns(rows, terminal.width - 2).map((line) => `  ${line}`);
  const list = (title: string, rows: readonly (readonly string[])[]) => {
    if (rows.length > 0) terminal.print([title, ...indentRows(rows)].join("\n"));
  };
  const toRows = (paths: readonly string[]) => paths.map((path) => [path]);
  const written = created.map((path) => [path, describeFile(path)]);
  list("Written:", written);
  list("Updated, because you have not changed them since they were written:", toRows(updated));
  list("Not changed, because they exist:", toRows(left));
  list("Added to package.json:", hasNewScript ? [['"sandbox": "sandbox"', "a script: npm run sandbox -- start"]] : []);
  const advice = "Fix that, then run this command again to add a test.";
  if (project.noTest) terminal.print(`No test was written: ${project.noTest}. ${advice}`);
  terminal.print("");
  list(
    "Next:",
    next.map((row) => row.filter((cell) => cell !== undefined)),
  );
  return 0;
}

const ABOUT: readonly [start: string, meaning: string][] = [
  ["sandbox.config.yaml", "options of sandbox start"],
  ["my-company/about.md", "describes the fixture"],
  ["my-company/", "example fixture; edit it"],
  ["scenarios/", "example scenario"],
  ["test/", "example test with its own world"],
  ["tests/", "example test with its own world"],
  [".github/", "runs validation, scenarios and tests in CI"],
];

const describeFile = (path: string): string => ABOUT.find(([start]) => path.startsWith(start))?.[1] ?? "";

function listNextSteps({ install, project }: Starter, folder: string): [line: string, meaning?: string][] {
  const way = relative(resolve(), folder);
  const steps: [string, string?][] = [];
  // The steps begin in the current folder, not in the new one.
  if (way !== "") steps.push([`cd ${quotePath(way)}`]);
  const { create, add, exec } = project.manager;
  if (!project.hasManifest) steps.push([create]);
  if (install !== undefined) steps.push([`${add} ${quotePath(install)}`]);
  steps.push([`${exec} sandbox play scenarios`, "plays the scenarios"]);
  steps.push([`${exec} sandbox start`, "serves my-company"]);
  if (project.test) steps.push([project.test.command, `runs the test with ${project.test.runner}`]);
  return [...steps, [`${exec} sandbox validate my-company`, "after changing the fixture"]];
}

const quotePath = (path: string): string => (/^[\w./-]+$/.test(path) ? path : JSON.stringify(path));
