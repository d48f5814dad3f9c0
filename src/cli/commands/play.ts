// sandbox play: plays scenarios, each in a fresh world.
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { readUrl } from "../client.ts";
import { type Call, type Command, jsonOption } from "../command.ts";
import { Misuse, messageOf } from "../fault.ts";
import { textOf } from "../options.ts";
import { ownFolders, ownSandbox } from "../own-sandbox.ts";

export const play: Command = {
  name: "play",
  summary: "Play scenarios, each in a fresh world.",
  arguments: [["<file or folder...>", "Scenarios, or folders of them."]],
  options: [
    {
      name: "reporter",
      kind: "text",
      placeholder: "spec, tap, junit or json",
      default: "spec",
      choices: ["spec", "tap", "junit", "json"],
      meaning: "How to report.",
    },
    {
      name: "output",
      kind: "text",
      placeholder: "FILE",
      default: undefined,
      meaning: "Where to write the report; default: stdout.",
    },
    { name: "bail", kind: "flag", default: false, meaning: "Stop at the first scenario that fails." },
    {
      name: "url",
      kind: "text",
      placeholder: "URL",
      default: undefined,
      meaning: "Play against this running sandbox; default: one of its own.",
    },
    {
      name: "control-token",
      kind: "text",
      placeholder: "T",
      default: undefined,
      meaning: "The token of its control surface.",
    },
    jsonOption,
  ],
  epilogue:
    "  sandbox play scenarios/\n  sandbox play scenarios/last-seat-is-sold-once.yaml --reporter junit --output report.xml",
  run: playAll,
};

async function playAll({ args, given, terminal }: Call): Promise<number> {
  const missing = args.find((path) => !existsSync(path));
  if (missing !== undefined) throw new Misuse(`There is no ${missing}. Name a scenario, or a folder of them.`);
  const [url, controlToken, output] = ["url", "control-token", "output"].map((name) => given.text(name));
  if (output !== undefined) mustBeWritable(output);
  const { playCommand } = await import("../../scenario/index.ts");
  return playCommand([...args], {
    reporter: textOf(given, "reporter"),
    ...(output === undefined ? {} : { output }),
    bail: given.flag("bail"),
    ...(url === undefined ? {} : { url: readUrl("--url", url) }),
    ...(controlToken === undefined ? {} : { controlToken }),
    json: given.flag("json"),
    start: ownSandbox,
    folders: ownFolders,
    write: terminal.write,
    complain: terminal.complain,
    terminal: terminal.colours && output === undefined,
  });
}

/** Before anything is played; a file that is not there is not left behind, in case nothing is. */
function mustBeWritable(output: string): void {
  const isNew = !existsSync(output);
  try {
    closeSync(openSync(output, "a"));
    if (isNew) rmSync(output);
  } catch (error) {
    throw new Misuse(`--output ${output} can't be written: ${messageOf(error)}. Name another file.`);
  }
}
