// sandbox init: writes a working start: the options of `start`, a fixture to change, a scenario, a test, a CI workflow.
import { existsSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { type Call, type Command, jsonOption, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import type { Starter } from "../starter.ts";
import { LANGUAGES, type Language } from "../starter-project.ts";
import { columnsWithin } from "../terminal/terminal.ts";

export const init: Command = {
  name: "init",
  summary: "Write a working start: fixture, scenario, test, CI.",
  arguments: [["[folder]", "Where to write; default: here. A file that exists is left alone."]],
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
  // Three lists, since a person wants to know what was not touched as well.
  const { created, updated, left, project, hasNewScript } = starter;
  const next = nextSteps(starter, folder);
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
  const indented = (rows: readonly (readonly string[])[]): string[] =>
    columnsWithin(rows, terminal.width - 2).map((line) => `  ${line}`);
  const list = (title: string, rows: readonly (readonly string[])[]) => {
    if (rows.length > 0) terminal.print([title, ...indented(rows)].join("\n"));
  };
  const toRows = (paths: readonly string[]) => paths.map((path) => [path]);
  const written = created.map((path) => [path, aboutOf(path)]);
  list("Written:", written);
  list("Updated, because they are unchanged since an earlier run:", toRows(updated));
  list("Left alone, because it exists:", toRows(left));
  list("Added to package.json:", hasNewScript ? [['"sandbox": "sandbox"', "a script: npm run sandbox -- start"]] : []);
  const again = "Mend that, and run this again for a test.";
  if (project.noTest) terminal.print(`No test was written: ${project.noTest}. ${again}`);
  terminal.print("");
  list(
    "Next:",
    next.map((row) => row.filter((cell) => cell !== undefined)),
  );
  return 0;
}

const ABOUT: readonly [start: string, meaning: string][] = [
  ["sandbox.config.yaml", "the options of start"],
  ["my-company/about.md", "what is in the world"],
  ["my-company/", "the world, to change into yours"],
  ["scenarios/", "a story that checks itself"],
  ["test/", "a test with its own world"],
  ["tests/", "a test with its own world"],
  [".github/", "all of it in CI"],
];

const aboutOf = (path: string): string => ABOUT.find(([start]) => path.startsWith(start))?.[1] ?? "";

function nextSteps({ install, project }: Starter, folder: string): [line: string, meaning?: string][] {
  const way = relative(resolve(), folder);
  const steps: [string, string?][] = [];
  // The steps are typed from where the person is, not from the new folder.
  if (way !== "") steps.push([`cd ${quoted(way)}`]);
  const { create, add, exec } = project.manager;
  if (!project.hasManifest) steps.push([create]);
  if (install !== undefined) steps.push([`${add} ${quoted(install)}`]);
  steps.push([`${exec} sandbox play scenarios`, "plays the story"]);
  steps.push([`${exec} sandbox start`, "serves my-company"]);
  if (project.test) steps.push([project.test.command, `runs the test, by ${project.test.runner}`]);
  return [...steps, [`${exec} sandbox validate my-company`, "after each change of it"]];
}

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : JSON.stringify(path));
