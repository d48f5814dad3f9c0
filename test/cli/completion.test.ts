// Completion: the words typed so far, the last at the cursor, and what is offered; and bash itself with the script.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
  const { code, stdout, stderr } = await runHere(["complete", "--", ...words], environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.split("\n").filter(Boolean);
}

const TABLE: readonly (readonly [typed: string, candidates: readonly string[]])[] = [
  ["tri", ["trigger"]],
  ["comp", ["completion"]],
  ["fault ", ["list", "arm", "clear"]],
  ["fault arm createBook", ["createBooking"]],
  ["fault arm createBooking --when ", ["before", "after"]],
  ["fault arm createBooking --when=a", ["--when=after"]],
  ["fault arm createBooking --co", ["--code", "--connection", "--control-token"]],
  ["fault --js", ["--json"]],
  ["act cancelB", ["cancelBooking"]],
  ["call --json getBooki", ["getBooking"]],
  ["call getBooking ", []],
  ["logs --filter-operation createBook", ["createBooking"]],
  ["trigger v1.booking.cr", ["v1.booking.created"]],
  ["listen --events v1.booking.created,v1.booking.can", ["v1.booking.created,v1.booking.cancelled"]],
  ["start --fixture ", ["empty", "harbour-tours"]],
  ["start --fixture ./", []],
  ["assumptions signature-te", ["signature-text="]],
  ["completion z", ["zsh"]],
  ["world rm d", ["default"]],
  ["world fork d", ["default"]],
  ["state --world d", []],
  ["act --world d", ["default"]],
  ["exec npm ", []],
  ["nonsense ", []],
];

describe("What is offered after", () => {
  it.each(TABLE)("%s", async (typed, expected) => {
    expect(await offered(typed.split(" "))).toEqual(expected);
  });

  it("an assumption and its =: its answers", async () => {
    const answers = await offered(["assumptions", "signature-text="]);
    expect(answers).toContain("signature-text=v1");
    expect(answers.every((each) => each.startsWith("signature-text="))).toBe(true);
  });

  it("messages: the ids of those that were sent", async () => {
    await runHere(["trigger", "v1.booking.created"], { SANDBOX_URL });
    const { stdout } = await runHere(["messages", "--json"], { SANDBOX_URL });
    const { items } = JSON.parse(stdout) as { items: { id: string }[] };
    expect((await offered(["messages", ""])).sort()).toEqual(items.map(({ id }) => id).sort());
  });

  it("an operation where no sandbox runs: nothing, silently", async () => {
    expect(await offered(["call", ""], { SANDBOX_URL: "http://127.0.0.1:9" })).toEqual([]);
    expect(await offered(["call", ""], { SANDBOX_URL: "nonsense" })).toEqual([]);
  });
});

describe("completion", () => {
  it("is listed in the help, and what its scripts ask is not", async () => {
    const { stdout } = await runHere(["--help"]);
    expect(stdout).toContain("completion <shell>");
    expect(stdout).not.toMatch(/^ +complete\b/m);
  });

  it("rejects a shell that it does not know", async () => {
    const { code, stderr } = await runHere(["completion", "zhs"]);
    expect(code).toBe(2);
    expect(stderr).toContain("zsh");
  });
});

const hasBash = spawnSync("bash", ["-c", "true"]).status === 0;

/** As bash calls it: words split at `=`, the last at the cursor. */
async function inBash(words: readonly string[]): Promise<string[]> {
  const script = `sandbox() { "${process.execPath}" "${bin}" "$@"; }
eval "$(sandbox completion bash)"
COMP_WORDS=(sandbox "$@"); COMP_CWORD=$#
_sandbox_completion
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
      ["list", "arm", "clear"],
    ],
    [["act", "cancelB"], ["cancelBooking"]],
    [["fault", "arm", "createBooking", "--when", "=", "a"], ["after"]],
    [
      ["fault", "arm", "createBooking", "--when", "="],
      ["before", "after"],
    ],
    [["start", "--fixture", "h"], ["harbour-tours"]],
    [["exec", "npm", ""], []],
  ])("%j", async (words, expected) => {
    expect(await inBash(words)).toEqual(expected);
  });
});
