// Completion: the words typed so far, the last at the cursor, and what is offered; and bash itself with the script.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startSandbox } from "../../src/index.ts";
import { runHere } from "./in-process.ts";
import { bin, folder } from "./run-sandbox.ts";

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let SANDBOX_URL = "";

beforeAll(async () => {
  sandbox = await startSandbox();
  SANDBOX_URL = sandbox.url;
});
afterAll(() => sandbox.close());

async function offered(words: readonly string[], environment: Record<string, string> = { SANDBOX_URL }) {
  // The library prints by itself.
  const printed = vi.spyOn(console, "log").mockReturnValue();
  const { code, stderr } = await runHere(["complete", "--", ...words], environment);
  const lines = printed.mock.calls.map(([line]) => String(line));
  printed.mockRestore();
  expect({ code, stderr, last: lines.at(-1) }).toEqual({ code: 0, stderr: "", last: ":4" });
  return lines.slice(0, -1).map((line) => line.split("	")[0] ?? "");
}

const TABLE: readonly (readonly [typed: string, candidates: readonly string[]])[] = [
  ["tri", ["trigger"]],
  ["comp", ["completion"]],
  ["fault ", ["list", "add", "clear"]],
  ["fault add createBook", ["createBooking"]],
  ["fault add createBooking --when ", ["before", "after"]],
  ["fault add createBooking --when=a", ["after"]],
  ["fault add createBooking --co", ["--code", "--connection", "--control-token"]],
  ["fault --js", ["--json"]],
  ["act cancelB", ["cancelBooking"]],
  ["call --json getBooki", ["getBooking"]],
  ["call getBooking ", []],
  ["logs --filter-operation createBook", ["createBooking"]],
  ["trigger v1.booking.cr", ["v1.booking.created"]],
  ["listen --events v1.booking.can", ["v1.booking.cancelled"]],
  ["start --fixture ", ["empty", "harbour-tours"]],
  ["start --fixture ./", []],
  ["assume signature-te", ["signature-text=bare", "signature-text=v1"]],
  ["completion z", ["zsh"]],
  ["world remove d", ["default"]],
  ["world fork d", ["default"]],
  ["world --world d", []],
  ["act --world d", ["default"]],
  ["exec npm ", []],
  ["nonsense ", []],
];

describe("Completes after", () => {
  it.each(TABLE)("%s", async (typed, expected) => {
    expect(await offered(typed.split(" "))).toEqual(expected);
  });

  it("resend: the ids of the requests in the log", async () => {
    await fetch(`${SANDBOX_URL}/v1/me`);
    const { stdout } = await runHere(["logs", "--kinds", "request", "--json"], { SANDBOX_URL });
    const { items } = JSON.parse(stdout) as { items: { id: string }[] };
    expect(items.length).toBeGreaterThan(0);
    expect((await offered(["resend", ""])).sort()).toEqual(items.map(({ id }) => id).sort());
  });

  it("an operation without a running sandbox: nothing, silently", async () => {
    expect(await offered(["call", ""], { SANDBOX_URL: "http://127.0.0.1:9" })).toEqual([]);
    expect(await offered(["call", ""], { SANDBOX_URL: "nonsense" })).toEqual([]);
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
  const child = spawn("bash", ["-c", script, "bash", ...words], { cwd: folder, env: { ...process.env, SANDBOX_URL } });
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
    [["act", "cancelB"], ["cancelBooking"]],
    [["start", "--fixture", "h"], ["harbour-tours"]],
    [["exec", "npm", ""], []],
  ])("%j", async (words, expected) => {
    expect(await inBash(words)).toEqual(expected);
  });
});
