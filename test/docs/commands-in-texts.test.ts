// Every command of ours that a text shows is one that the program takes: in the documents, in the help, in what the program says. It is
// parsed by the program itself; what it would do is not done.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Command, Group } from "../../src/cli/command.ts";
import { commandTable } from "../../src/cli/command-line.ts";
import { makeTerminal } from "../../src/cli/terminal/terminal.ts";
import { createProgram, type Table } from "../../src/cli/wire.ts";
import { documents, textOf } from "./markdown.ts";

/** A command that only says how it was read. */
const idle = (command: Command): Command => ({
  ...command,
  options: command.options.map(({ finds: _, ...option }) => option),
  configured: [],
  run: async () => 0,
});

const idleTable: Table = Object.fromEntries(
  Object.entries(commandTable).map(([heading, entries]) => [
    heading,
    entries.map((entry: Command | Group) =>
      "members" in entry ? { ...entry, members: entry.members.map(idle) } : idle(entry),
    ),
  ]),
);

const silent = { write: () => true, isTTY: false, columns: 80, on: () => silent, once: () => silent } as never;

/** Undefined where the program takes it; otherwise what it says. */
async function refusalOf(words: readonly string[]): Promise<string | undefined> {
  try {
    const program = createProgram(
      idleTable,
      { terminal: makeTerminal(silent, silent, {}), environment: {} },
      () => undefined,
    );
    await program.parseAsync(words, { from: "user" });
    return undefined;
  } catch (reason) {
    // Help or the version is printed.
    return (reason as { exitCode?: number }).exitCode === 0 ? undefined : String((reason as Error).message);
  }
}

/** The commands of a shell script, each as its words: quotes are read, what a command feeds or writes is another matter. */
function commandsIn(script: string): string[][] {
  const found: string[][] = [];
  for (const line of script.replaceAll("\\\n", " ").split("\n")) {
    let words: string[] = [];
    for (const [word] of line.matchAll(/(?:"[^"]*"|'[^']*'|\$\([^)]*\)|\\.|[^\s"';|&()])+|[;|&()]+|#.*/g)) {
      if (word.startsWith("#")) break;
      if (/^[;|&()]+$/.test(word)) {
        found.push(words);
        words = [];
      } else words.push(word);
    }
    found.push(words);
  }
  return found.flatMap(ours);
}

/** What stands behind `sandbox` or `npx sandbox`, without variables in front and files behind. */
function ours(words: readonly string[]): string[][] {
  const rest = words.filter((word) => !/^[A-Z_]+=/.test(word));
  if (rest[0] === "npx" && rest[1] === "--no-install") rest.splice(1, 1);
  const begin = rest[0] === "npx" ? 1 : 0;
  if (rest[begin] !== "sandbox") return [];
  const end = rest.findIndex((word) => /^\d?[<>]/.test(word));
  return [rest.slice(begin + 1, end < 0 ? undefined : end).map(unquoted)];
}

const unquoted = (word: string): string => word.replace(/"([^"]*)"|'([^']*)'/g, (_, a, b) => a ?? b ?? "");

const inBlocks = (text: string): string[][] =>
  [...text.matchAll(/^```(?:sh|bash|console)\b[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, code]) =>
    commandsIn((code as string).replace(/^\$ /gm, "")),
  );

/** Between backticks. In a table a bar is escaped. */
const inSpans = (text: string): string[][] =>
  [
    ...text
      .replace(/^```[\s\S]*?^```/gm, "")
      .replaceAll("\\|", "|")
      .matchAll(/`((?:npx (?:--no-install )?)?sandbox [^`\n]+)`/g),
  ].flatMap(([, code]) => commandsIn(code as string));

/** A sentence of a source as it is said, with some value in it; one whose command or options are values too can't be judged. */
const withValues = (source: string): string =>
  source
    .replaceAll("\\`", "`")
    .replace(/`[^`\n]*(?:--|start |sandbox )\$\{[^`\n]*`/g, "")
    .replace(/\$\{[^}]*\}/g, "x");

const folders = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(md|yaml)$/.test(name))
    .map((name) => join(folder, name));

const texts = [
  ...new Set([...documents, ...folders("docs"), ...folders("fixtures"), ...folders("test/examples")]),
].filter((file) => !file.includes("node_modules"));

/** Within a sentence a command may be named without what it needs: `sandbox rewind`, `world fork --at`. */
const isOnlyNamed = (why: string): boolean => /^Missing argument | needs a value: /.test(why);

const view = (words: readonly string[]) => `sandbox ${words.join(" ")}`;

async function refused(commands: readonly (readonly string[])[], mayBeNamed = false): Promise<string[]> {
  const each = await Promise.all(
    commands.map(async (words) => {
      const why = await refusalOf(words);
      return why === undefined || (mayBeNamed && isOnlyNamed(why)) ? [] : [`${view(words)}: ${why}`];
    }),
  );
  return [...new Set(each.flat())];
}

describe("The program accepts every documented command", () => {
  it.each(texts)("in %s", async (file) => {
    const text = textOf(file);
    expect([...(await refused(inBlocks(text))), ...(await refused(inSpans(text), true))]).toEqual([]);
  });

  it("in the help", async () => {
    const all = Object.values(commandTable).flat();
    const commands = all.flatMap((entry) => ("members" in entry ? entry.members : [entry]));
    const viewThere = commands.flatMap(({ epilogue = "" }) =>
      commandsIn(epilogue.replace(/^(?! {2}sandbox ).*$/gm, "")),
    );
    expect(viewThere.length).toBeGreaterThan(20);
    expect(await refused(viewThere)).toEqual([]);
  });

  it("in the messages of the program", async () => {
    const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
    const message = sources
      .filter((name) => !name.startsWith("generated"))
      .flatMap((name) => inSpans(withValues(readFileSync(join("src", name), "utf8"))));
    expect(message.length).toBeGreaterThan(20);
    expect(await refused(message, true)).toEqual([]);
  });
});
