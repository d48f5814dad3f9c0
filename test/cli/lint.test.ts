// sandbox check log: what the log shows of a program, in the words of a verdict.
import { expect, it } from "vitest";
import { runHere, sandboxOfTests } from "./in-process.ts";

const at = sandboxOfTests();

const lint = (...words: string[]) => runHere(["check", "log", ...words], at);
const trials = "Lost answers, webhooks that come twice and the like are tried by `sandbox check -- npm test`.\n";

it("says what was not exercised where nobody has called, and does not fail", async () => {
  expect(await lint()).toEqual({
    code: 0,
    stdout: [
      " –    AUTH-02  0 of the 5 calls that it takes",
      " –    AUTH-04  no call",
      " –    AUTH-05  0 of the 3 calls that it takes",
      " –    BOOK-03  no booking was made",
      " –    BOOK-04  no booking was tried",
      " –    PAGE-01  no list had a second page",
      " –    SYNC-01  nothing was listed",
      " –    LANG-01  no call of an operation with texts",
      " 8 not exercised\n",
    ].join("\n"),
    stderr: `0 requests judged. ${trials}`,
  });
});

it("names what fails first, with the request and what to write instead, and fails", async () => {
  await fetch(`${at.SANDBOX_URL}/v1/me?access_token=secret`);
  const { code, stdout, stderr } = await lint();
  expect([code, stderr]).toEqual([1, `1 request judged. ${trials}`]);
  expect(stdout.split("\n").slice(0, 4)).toEqual([
    " FAIL AUTH-04  calls with a secret in the address: 1",
    expect.stringMatching(/^ {6}req-\w+-\d+ {2}GET \/v1\/me\?access_token=…$/),
    "      do: Send the token as `Authorization: Bearer …`, and the client secret in the form of the token request.",
    " –    AUTH-02  1 of the 5 calls that it takes",
  ]);
  const { requests, items } = JSON.parse((await lint("--json")).stdout);
  expect([requests, items.filter(({ outcome }: { outcome: string }) => outcome === "fail")]).toEqual([
    1,
    [expect.objectContaining({ id: "AUTH-04" })],
  ]);
});
