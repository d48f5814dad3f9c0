// Completion: the candidates for the words typed so far, and the script in bash itself.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { runHere } from "./in-process.ts";
import { bin, folder } from "./run-sandbox.ts";

async function offered(words: readonly string[]) {
  // The library prints by itself.
  const printed = vi.spyOn(console, "log").mockReturnValue();
  const { code, stderr } = await runHere(["complete", "--", ...words]);
  const lines = printed.mock.calls.map(([line]) => String(line));
  printed.mockRestore();
  expect({ code, stderr, last: lines.at(-1) }).toEqual({ code: 0, stderr: "", last: ":4" });
  return lines.slice(0, -1).map((line) => line.split("	")[0] ?? "");
}

const TABLE: readonly (readonly [typed: string, candidates: readonly string[]])[] = [
  ["tri", ["trigger"]],
  ["comp", ["completion"]],
  ["fault ", ["list", "add", "clear"]],
  ["fault add createBooking --when ", ["before", "after"]],
  ["fault add createBooking --when=a", ["after"]],
  ["fault add createBooking --co", ["--code", "--connection", "--control-token"]],
  ["fault --js", ["--json"]],
  ["call getBooking ", []],
  ["exec npm ", []],
  ["nonsense ", []],
];

describe("Completes after", () => {
  it.each(TABLE)("%s", async (typed, expected) => {
    expect(await offered(typed.split(" "))).toEqual(expected);
  });
});

describe("completion", () => {
  it("is listed in the help, but the requests of its scripts are not", async () => {
    const { stdout } = await runHere(["--help"]);
    expect(stdout).toMatch(/^ +completion +\S/m);
    expect(stdout).not.toMatch(/^ +complete\b/m);
  });

  it("rejects an unknown shell", async () => {
    const { code, stderr } = await runHere(["completion", "zhs"]);
    expect(code).toBe(2);
    expect(stderr).toContain("zsh");
  });
});

const hasBash = spawnSync("bash", ["-c", "true"]).status === 0;

/** As bash calls it, with what the package bash-completion gives; the last word is at the cursor. */
async function inBash(words: readonly string[]): Promise<string[]> {
  const script = `sandbox() { "${process.execPath}" "${bin}" "$@"; }
_get_comp_words_by_ref() { words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur="\${COMP_WORDS[COMP_CWORD]}"; }
compopt() { :; }
eval "$(sandbox completion bash)"
COMP_WORDS=(sandbox "$@"); COMP_CWORD=$#
__sandbox_complete
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const child = spawn("bash", ["-c", script, "bash", ...words], { cwd: folder, env: process.env });
  const written = { out: "", err: "" };
  child.stdout.on("data", (piece) => (written.out += piece));
  child.stderr.on("data", (piece) => (written.err += piece));
  await once(child, "close");
  expect(written.err).toBe("");
  return written.out.split("\n").filter(Boolean);
}

describe.runIf(hasBash)("bash itself completes", () => {
  it.each([
    [["tri"], ["trigger"]],
    [
      ["fault", ""],
      ["list", "add", "clear"],
    ],
    [["start", "--log", "j"], ["json"]],
    [["exec", "npm", ""], []],
  ])("%j", async (words, expected) => {
    expect(await inBash(words)).toEqual(expected);
  });
});
