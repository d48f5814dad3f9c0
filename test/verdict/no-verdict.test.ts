// Programs of which nothing can be said: each gets one sentence with what to do, exit code 3, and no verdict.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Launch } from "../../src/verdict/index.ts";
import type { ProgramEnd } from "../../src/verdict/worlds.ts";
import { runHere } from "../cli/in-process.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { judged } from "./matrix.ts";

const folder = makeTempFolder();

function program(text: string): string {
  const path = join(folder, `${text.length}.mjs`);
  writeFileSync(path, text);
  return path;
}

const CALL =
  "await fetch(process.env.SANDBOX_URL + '/.well-known/openid-configuration').then((answer) => answer.text());";
const STRANGER = "await fetch(process.env.SANDBOX_URL + '/v1/me', { headers: { authorization: 'Bearer other' } });";

it.each<[string, string, string, RegExp]>([
  [
    "never calls",
    "console.log('hello');",
    "NEVER_CALLED",
    /^The program never called the sandbox at http:.* SANDBOX_URL/,
  ],
  ["calls another address", "await fetch('http://127.0.0.1:9/v1/me').catch(() => {});", "NEVER_CALLED", /SANDBOX_URL/],
  [
    "has the keys of another sandbox",
    STRANGER,
    "OTHER_SANDBOX",
    /credentials of another sandbox\. Let it read SANDBOX_CLIENT_ID/,
  ],
  [
    "is red by itself",
    `${CALL} process.exit(4);`,
    "RED_BY_ITSELF",
    /exit code 4 and no failure injected\. Make it green first/,
  ],
])("A program that %s", async (_, text, code, says) => {
  const found = await judged(program(text));
  expect(found).toMatchObject({ exit_code: 3, results: [], no_verdict: { code } });
  expect(found.no_verdict?.says).toMatch(says);
});

it("A program that never ends", async () => {
  // In this process: a thread may take two seconds to start.
  const launch: Launch = ({ url }) => {
    let stop = () => {};
    const ended = new Promise<ProgramEnd>((end) => (stop = () => end({ code: 1, output: "" })));
    void fetch(`${url}/.well-known/openid-configuration`);
    return { ended, stop };
  };
  const { exit_code, no_verdict } = await judged("program.mjs", { launch, limitMs: 2000 });
  expect([exit_code, no_verdict?.code]).toEqual([3, "TOO_LONG"]);
  expect(no_verdict?.says).toMatch(/neither ended nor came to rest in \d+ s.*--timeout/);
});

it("A program that differs from run to run", async () => {
  const mark = JSON.stringify(join(folder, "mark"));
  const text = `import { existsSync, writeFileSync } from "node:fs";
    ${CALL} if (existsSync(${mark})) process.exit(5); writeFileSync(${mark}, "");`;
  const { no_verdict, exit_code } = await judged(program(text));
  expect([exit_code, no_verdict?.code]).toEqual([3, "NOT_THE_SAME_TWICE"]);
  expect(no_verdict?.says).toContain("it ended once with exit code 0 and once with exit code 5");
});

it("A program that does not exist", async () => {
  const ran = await runHere(["check", "--json", "--", "no-such-program-here"]);
  expect(ran.code).toBe(3);
  expect(JSON.parse(ran.stdout).no_verdict).toMatchObject({
    code: "NOT_STARTED",
    says: "There is no command no-such-program-here. Check its name, or that it is installed.",
  });
});
