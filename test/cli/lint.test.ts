// `sandbox check log`: judges a program by the log of the sandbox.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeTempFolder } from "../temp-folder.ts";
import { runHere, sandboxOfTests } from "./in-process.ts";

const at = sandboxOfTests();

const lint = (...words: string[]) => runHere(["check", "log", ...words], at);
const trials = " `sandbox check -- npm test` also tests lost responses, duplicate webhooks and other failures.\n";

it("reports what was not exercised if there are no requests, and does not fail", async () => {
  expect(await lint()).toEqual({
    code: 0,
    stdout: [
      "sandbox check log",
      " –    AUTH-02  0 of the 5 requests that the check needs",
      " –    AUTH-04  no call",
      " –    AUTH-05  0 of the 3 requests that the check needs",
      " –    BOOK-03  no booking was created",
      " –    BOOK-04  no booking was attempted",
      " –    PAGE-01  no list had a second page",
      " –    SYNC-01  nothing was listed",
      " –    LANG-01  no request for an operation with texts",
      ` 0 requests checked.\n${trials} 8 not exercised       exit 0\n`,
    ].join("\n"),
    stderr: "",
  });
});

it("lists warnings first with the request and a correction, and fails only with --strict", async () => {
  await fetch(`${at.SANDBOX_URL}/v1/me?access_token=secret`);
  const { code, stdout } = await lint();
  expect([code, stdout]).toEqual([0, expect.stringContaining(` 1 request checked.\n${trials}`)]);
  expect(stdout.split("\n").slice(1, 5)).toEqual([
    " WARN AUTH-04  requests with a secret in the address: 1",
    expect.stringMatching(/^ {6}req-\w+-\d+ {2}GET \/v1\/me\?access_token=…$/),
    "      do: Send the token as `Authorization: Bearer …`, and the client secret in the form of the token request.",
    " –    AUTH-02  1 of the 5 requests that the check needs",
  ]);
  const { requests, results } = JSON.parse((await lint("--json")).stdout);
  expect([requests, results.filter(({ outcome }: { outcome: string }) => outcome === "warn")]).toEqual([
    1,
    [expect.objectContaining({ id: "AUTH-04" })],
  ]);
});

it("writes the same report in every format, and only one to stdout", async () => {
  const file = join(makeTempFolder(), "log.xml");
  const { code, stdout, stderr } = await lint("--report", `junit=${file}`, "--report", "markdown");
  expect([code, stdout.split("\n", 1)[0], stderr]).toEqual([0, "### sandbox check log", `Wrote ${file}.\n`]);
  expect(readFileSync(file, "utf8")).toContain('<testsuites name="sandbox check log"');
  const formats = await Promise.all(["html", "sarif"].map((format) => lint("--report", format)));
  for (const { stdout } of formats) expect(stdout).toContain("AUTH-04");
  expect((await lint("--strict")).code).toBe(1);
});

it.each([
  [["--report", "xml"], "--report has no format xml. It takes spec, json"],
  [["--report", "html", "--json"], "html and json can't both go to stdout."],
  [["--report", "junit="], "has no file name. Write it as --report junit=report.junit."],
  [["--report", "html=/nowhere/a.html"], "--report /nowhere/a.html can't be written"],
])("rejects %j", async (words, sentence) => {
  const { code, stderr } = await lint(...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});
