// Profiles: what a program of a kind must have shown. Silence is no pass, a name that is none is told, and a company has its own.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checks } from "../../src/verdict/index.ts";
import { judgeProfile, type Profile, profiles, readProfiles } from "../../src/verdict/profiles/index.ts";
import { runHere } from "../cli/in-process.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { careful, judged } from "./matrix.ts";

const folder = makeTempFolder();
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const named = (name: string): Profile => profiles.find((each) => each.name === name) as Profile;
const [reader, OWN] = [named("reader"), "clerk: { for: Lists., operations: [listEvents], pass: [AUTH-04] }\n"];

it("There are five, each with its own hash", () => {
  expect(profiles.map(({ name }) => name)).toEqual([
    "reader",
    "reseller",
    "webhook-receiver",
    "point-of-sale",
    "accounting",
  ]);
  expect(new Set(profiles.map(({ hash }) => hash)).size).toBe(5);
  const [one, other] = ["{ for: a, operations: [], pass: [AUTH-04] }", "{ pass: [AUTH-04], operations: [], for: a }"];
  expect(readProfiles(`x: ${one}`, "f")[0]?.hash).toBe(readProfiles(`# other\nx: ${other}`, "f")[0]?.hash);
  expect(readProfiles(`x: ${one}`, "f")[0]?.hash).not.toBe(readProfiles(`y: ${one}`, "f")[0]?.hash);
});

it("The standard profiles are valid as a file", () => {
  expect(readProfiles(readFileSync("spec/profiles.yaml", "utf8"), "spec/profiles.yaml")).toEqual(profiles);
});

it.each([
  [
    "a check that is none",
    "x:\n  for: A.\n  operations: []\n  pass: [AUTH-99]",
    "f:4: x.pass.0: unknown check AUTH-99. Did you mean AUTH-0",
  ],
  [
    "an operation that is none",
    "x: { for: A., operations: [listEvnts], pass: [AUTH-04] }",
    "f:1: x.operations.0: unknown operation listEvnts. Did you mean listEvents?",
  ],
  ["no check", "x: { for: A., operations: [], pass: [] }", "f:1: x.pass must NOT have fewer than 1 items."],
  [
    "a word more",
    "x: { for: A., operations: [], pass: [AUTH-04], must: 1 }",
    "f:1: x must NOT have additional properties (must).",
  ],
  ["a name in capitals", "X: { for: A., operations: [], pass: [AUTH-04] }", "such as point-of-sale (X)."],
  ["nothing", "", "f:1: the file must be object."],
  ["text that is none", "x: [", "f:1: "],
])("A file with %s is rejected with its line", (_, text, says) => {
  expect(() => readProfiles(text, "f")).toThrow(expect.objectContaining({ message: expect.stringContaining(says) }));
});

it("Only passed checks count, and each gap has the command that closes it", () => {
  const seen = new Set(["getExperience", "listEvents"]);
  const passed = reader.pass.map((id) => ({ id, outcome: "pass" }));
  const found = judgeProfile(reader, seen, passed);
  expect(found).toMatchObject({ of: reader.pass.length + 2, met: reader.pass.length + 2, gaps: [] });
  expect(found.wishes.map(({ what }) => what)).toEqual(reader.should);
  const [first = "", second = "", third = "", ...rest] = reader.pass;
  const others = judgeProfile(reader, new Set(["listEvents"]), [
    { id: first, outcome: "undecided", says: "no probe", add: "add --probe", again: "sandbox again" },
    { id: second, outcome: "pass", ignored: { reason: "later", until: "2030-01-01" } },
    ...rest.map((id) => ({ id, outcome: "pass" })),
  ]);
  expect(others.gaps).toEqual([
    {
      what: "listExperiences or getExperience",
      says: "no request for any of them succeeded",
      close: "sandbox call listExperiences --list",
    },
    { what: first, says: "undecided: no probe; add --probe", close: "sandbox again" },
    {
      what: second,
      says: "pass: it is ignored until 2030-01-01, and a profile does not accept ignored checks",
      close: `sandbox check --only ${second} -- <command>`,
    },
    { what: third, says: "it was not judged", close: `sandbox check --only ${third} -- <command>` },
  ]);
});

it("The required soak and books of a profile are listed with their command", () => {
  const besides = Object.fromEntries(profiles.map((each) => [each.name, judgeProfile(each, new Set(), []).besides]));
  const soak = [
    {
      what: "soak",
      says: "run by `sandbox check soak`, with a probe of bookings",
      close: "sandbox check soak --probe CMD -- <command>",
    },
  ];
  expect(besides).toEqual({
    reader: undefined,
    reseller: soak,
    "webhook-receiver": soak,
    "point-of-sale": undefined,
    accounting: [
      {
        what: "books",
        says: "compared with the journal by `sandbox books`",
        close: "sandbox books compare FILE",
      },
    ],
  });
});

it.runIf(process.env.SANDBOX_LONG)(
  "A verdict with a profile fails for unproven requirements, even if no check fails",
  async () => {
    const [clerk] = readProfiles(
      "clerk: { for: Lists., operations: [getGiftCard, createBooking], pass: [AUTH-04, PAGE-01] }",
      "f",
    );
    const only = checks.filter(({ id }) => ["AUTH-04", "PAGE-01"].includes(id));
    const found = await judged(careful, { only, profile: clerk });
    expect(found).toMatchObject({ exit_code: 1, counts: { pass: 2, fail: 0 } });
    expect(found.profile).toMatchObject({ name: "clerk", of: 4, met: 3 });
    expect(found.profile?.gaps.map(({ what }) => what)).toEqual(["getGiftCard"]);
  },
);

const own = file("own.yaml", OWN);
const isFolder = `--profiles ${folder} is a folder, not a regular file. Put a file there. Name a file of profiles.\n`;

it.each([
  [["--profile", "resller"], "There is no profile resller. Did you mean reseller? There are: reader, reseller"],
  [["--profiles", own], "Select one with --profile NAME."],
  [["--profiles", own, "--profile", "clark"], "Did you mean clerk?"],
  [["--profiles", join(folder, "none.yaml"), "--profile", "clerk"], "can't be read"],
  [["--only", "AUTH-04", "--profile", "reader"], "Leave out --only or --profile."],
  [["--profiles", folder, "--profile", "clerk"], isFolder],
])("Wrong usage with %j is rejected", async (words, says) => {
  const { code, stderr } = await runHere(["check", ...words, "--", "true"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});

it("Coverage shows what a profile still requires, from a log and a verdict", async () => {
  const entry = { kind: "request", operation: "listEvents", status: 200, faults: [] };
  const log = file("log.json", JSON.stringify({ items: [entry] }));
  const verdict = file("verdict.json", JSON.stringify({ results: [{ id: "AUTH-04", outcome: "pass" }] }));
  const files = ["--file", log, "--verdict", verdict, "--profiles", own];
  const given = ["check", "coverage", ...files, "--profile"];
  expect((await runHere([...given, "clerk"])).stdout).toContain(" 2 of 2 · clerk\n");
  const { stdout, code } = await runHere([...given, "accounting"]);
  expect(code).toBe(0);
  expect(stdout).toContain(" 1 of 12 · accounting\n");
  expect(stdout).toContain("listJournalEntries or getJournalEntry");
  expect(stdout).toContain("sandbox check --only AUTH-01 -- <command>");
});
