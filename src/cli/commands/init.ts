// sandbox init: adds a starter setup to a project: configuration, fixture, scenario, test and CI workflow.
import { existsSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { type Call, type Command, jsonOption, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import { LANGUAGES, type Language, NPX, type Starter, writeStarter } from "../starter.ts";
import { formatColumns } from "../terminal/terminal.ts";

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

async function writeStart({ args: [name = "."], given, terminal }: Call): Promise<number> {
  const folder = resolve(name);
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw new Misuse(`${name} is a file. Name a folder.`);
  const starter = writeStarter(folder, given.text("lang") as Language | undefined);
  const { created, left, language, test, hasNewScript } = starter;
  const next = listNextSteps(starter, folder);
  if (given.flag("json")) {
    const commands = next.map(([line]) => line);
    const written = { created, left, script: hasNewScript };
    terminal.json({ ok: true, folder, ...written, language, runner: test.runner, next: commands });
    return 0;
  }
  const list = (title: string, rows: readonly (readonly string[])[]) => {
    if (rows.length === 0) return;
    const lines = formatColumns(rows).map((line) => `  ${line}`);
    terminal.print([title, ...lines].join("\n"));
  };
  const toRows = (paths: readonly string[]) => paths.map((path) => [path]);
  list("Written:", toRows(created));
  list("Not changed, because they exist:", toRows(left));
  list("Added to package.json:", hasNewScript ? [['"sandbox": "sandbox"', "a script: npm run sandbox -- start"]] : []);
  terminal.print("");
  list("Next:", next);
  return 0;
}

function listNextSteps({ install, hasManifest, test }: Starter, folder: string): string[][] {
  const way = relative(resolve(), folder);
  return [
    // The steps begin in the current folder, not in the new one.
    ...(way === "" ? [] : [[`cd ${quotePath(way)}`]]),
    ...(hasManifest ? [] : [["npm init -y"]]),
    ...(install === undefined ? [] : [[`npm install --save-dev ${quotePath(install)}`]]),
    [`${NPX} sandbox play scenarios`, "plays the scenarios"],
    [`${NPX} sandbox start`, "serves my-company"],
    [test.commands.at(-1) ?? "", `runs the test with ${test.runner}`],
    [`${NPX} sandbox validate my-company`, "after changing the fixture"],
  ];
}

const quotePath = (path: string): string => (/^[\w./-]+$/.test(path) ? path : JSON.stringify(path));
