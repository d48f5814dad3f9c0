// The verdict as a user gets it: what it says of a careful and of a careless program, and how often it runs them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checks, explainCheck } from "../../src/verdict/index.ts";
import { runHere } from "../cli/in-process.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { careful, careless, findingsIn, judged, meantBy } from "./matrix.ts";

const folder = makeTempFolder();

function program(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("A verdict", () => {
  it("finds the one careless behaviour of a program, with evidence and the command that repeats it", async () => {
    const path = careless.find((each) => meantBy(each) === "RETRY-01") ?? "";
    const only = checks.filter(({ id }) => ["RETRY-01", "AUTH-04", "BOOK-03", "PAGE-01"].includes(id));
    const found = await judged(path, { only });
    const [finding, ...others] = findingsIn(found);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ id: "RETRY-01", outcome: "fail" });
    const [, ...twice] =
      /^after a lost response the program booked again: \w+ (\(.+\)) and \w+ (\(.+\))$/.exec(finding?.says ?? "") ?? [];
    expect(twice).toEqual(["(1 ticket, order 1118 · DKK 250.00)", "(1 ticket, order 1119 · DKK 250.00)"]);
    expect(finding?.evidence.length).toBeGreaterThan(1);
    expect(finding?.again).toBe("sandbox check --only RETRY-01 --seed 7 -- node retry-01.mjs");
    expect(found.exit_code).toBe(1);
  });

  it("finds nothing wrong with a program whose probe never prints the same", async () => {
    const only = checks.filter(({ id }) => id === "HOOK-02");
    const { results } = await judged(careful, { only, says: async () => ({ at: performance.now() }) });
    expect(results).toMatchObject([{ outcome: "undecided", add: expect.stringContaining("without times") }]);
  });

  it.runIf(process.env.SANDBOX_LONG)(
    "waits for a receiver that starts slowly, and repeats a check with its address",
    async () => {
      const text = `await new Promise((resolve) => setTimeout(resolve, 1500));
      const { createServer } = await import("node:http");
      createServer((_, answer) => answer.writeHead(204).end()).listen(Number(process.env.PORT), "127.0.0.1");`;
      const ran = await runHere([
        "check",
        "--only",
        "HOOK-01",
        "--webhook-url",
        "http://127.0.0.1:{port}/hooks",
        "--json",
        "--",
        "node",
        program("slow-start.mjs", text),
      ]);
      const [finding] = JSON.parse(ran.stdout).results;
      expect(finding).toMatchObject({ id: "HOOK-01", outcome: "warn" });
      expect(finding.evidence).toHaveLength(4);
      expect(finding.again).toContain('--seed 7 --webhook-url "http://127.0.0.1:{port}/hooks" -- node ');
    },
  );
});

describe("The checks", () => {
  it("are thirty-six, each with a lesson", () => {
    expect(checks.length).toBe(36);
    for (const check of checks) expect(explainCheck(check)).toContain(check.explain.code.split("\n")[0]);
  });

  it.each([
    ["check", "explain", "--json", "RETRY-01"],
    ["check", "explain", "RETRY-01", "--json"],
  ])("are explained in JSON alone by %s %s %s %s", async (...words) => {
    const { code, stdout, stderr } = await runHere(words);
    expect([code, stderr]).toEqual([0, ""]);
    expect(Object.keys(JSON.parse(stdout))).toEqual([
      "id",
      "title",
      "level",
      "done",
      "rule",
      "harm",
      "advice",
      "explain",
    ]);
  });

  it("are listed and explained by `sandbox check explain`", async () => {
    const [list, lesson, wrong] = [
      await runHere(["check", "explain"]),
      await runHere(["check", "explain", "retry-01"]),
      await runHere(["check", "explain", "RETRY-99"]),
    ];
    expect(list.stdout.trim().split("\n")).toHaveLength(36);
    expect(lesson.stdout).toContain("There is no idempotency key".toLowerCase().slice(6));
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toContain("There is no check RETRY-99.");
  });
});
