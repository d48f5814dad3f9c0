// The shape of the program, held: each rule against src/, and against a small program in which it is broken.
import { describe, expect, it } from "vitest";
import { RULES, type Rule } from "./rules.ts";
import { importers, readSource, type SourceFile, sourceFiles } from "./source.ts";

const report = ({ sentence, because }: Rule, breaches: readonly string[]): string =>
  `The rule is that ${sentence}, because ${because}. It is broken here:\n  ${breaches.join("\n  ")}`;

describe("In src/", () => {
  const [files, others] = [sourceFiles(), importers()];
  it.each(RULES)("$sentence", (rule) => {
    const breaches = rule.broken(files, others);
    if (breaches.length > 0) expect.fail(report(rule, breaches));
  });
});

const OPENING = "// What this is.\n";

/** Files with one fault each, which the report must name after the path. */
const BROKEN_FILES: [path: string, text: string, fault: string][] = [
  ["odd/thing.ts", "", " belongs to no building"],
  ["engine/odd/thing.ts", "", " belongs to no room"],
  [
    "engine/app/a.ts",
    'import { makeTeams } from "../../hosted/index.ts";',
    " imports hosted/index.ts: engine/ may not import hosted/",
  ],
  [
    "verdict/a.ts",
    'import { makeApp } from "../engine/http/app.ts";',
    " imports engine/http/app.ts, which is not the entry point of its module",
  ],
  ["engine/domain/booking.ts", 'import { id } from "../world/ids.ts";', " imports engine/world/ids.ts"],
  ["engine/operations/a.ts", 'export { b } from "../acts/b.ts";', " imports engine/acts/b.ts"],
  ["engine/time/due.ts", 'const o = await import("../webhooks/outbox.ts");', " imports engine/webhooks/outbox.ts"],
  [
    "stories/scenario/play.ts",
    'import type { A } from "../../contract/generated/api.ts";',
    " imports contract/generated/api.ts",
  ],
  [
    "engine/domain/a.ts",
    'import doc from "../../contract/generated/openapi.json";',
    " imports contract/generated/openapi.json",
  ],
  ["hosted/a.ts", 'import type { Application as All } from "../engine/index.ts";', " takes the whole Application"],
  ["sandbox.ts", 'import { makeTeams } from "./hosted/index.ts";', " imports hosted/index.ts at its start"],
  [
    "engine/app/a.ts",
    "type WorldLease = { team: string; principal: Principal; isHosted: true };\n".repeat(8),
    ' has the word "Lease"',
  ],
  ["cli/start.ts", 'import type { Express } from "express";', " imports express"],
  [
    "engine/http/app.ts",
    'import "@stoplight/prism-http/dist/validator";',
    " imports @stoplight/prism-http/dist/validator",
  ],
  ["engine/http/app.ts", 'import pad from "left-pad";', " imports left-pad, which has no row"],
  ["engine/domain/a.ts", "export const now = Date.now();", " uses Date.now"],
  ["engine/world/a.ts", "export const now = new Date();", " uses new Date()"],
  ["engine/time/clock.ts", "export const n = Math.random();", " uses Math.random"],
  ["engine/http/a.ts", 'import { request } from "node:https";', " imports request from node:https"],
  ["engine/webhooks/sign.ts", 'await fetch("http://x");', " uses fetch"],
  ["engine/world/ids.ts", 'import { randomUUID } from "node:crypto";', " imports randomUUID from node:crypto"],
  ["engine/acts/a.ts", "setTimeout(() => {}, 1);", " uses setTimeout"],
  ["engine/domain/a.ts", "export const seats = 1;", " exports seats"],
  ["engine/world/booking-helpers.ts", "", ' is called "helpers"'],
  ["engine/domain/giftCard.ts", "", ""],
  ["engine/http/a.ts", "if (key.secret === given) go();", " compares key.secret === given"],
  ["engine/http/a.ts", "if (came !== signature(desk, list)) stop();", " compares came !== signature(desk, list)"],
  ["engine/http/a.ts", "const known = tokens.includes(token);", " compares tokens.includes(token)"],
  [
    "engine/http/a.ts",
    "if (authorization.startsWith('Bearer ' + controlToken)) go();",
    " compares authorization.startsWith('Bearer ' + controlToken)",
  ],
  ["engine/http/a.ts", "switch (secret) { case given: go(); }", " compares switch (secret)"],
  ["engine/http/a.ts", "const same = hash.equals(digest(x));", " compares hash.equals(digest(x))"],
  ["engine/domain/a.ts", "const placed = (a: 1, b: 1, c: 1, d: 1, e: 1) => a;", ": placed has 5 parameters"],
];

/** Programs of several files. */
const BROKEN: [fault: string, files: Record<string, string>][] = [
  [
    "verdict/index.ts exports 26 names",
    {
      "verdict/index.ts": Array.from({ length: 26 }, (_, at) => `export const name${at} = ${at};`).join("\n"),
      "cli/a.ts": 'import { name0 } from "../verdict/index.ts";',
    },
  ],
  [
    "lowdb has 2 doors in engine/log/",
    {
      "engine/log/a.ts": 'import { Low } from "lowdb";',
      "engine/log/b.ts": 'import { Memory } from "lowdb/node";',
    },
  ],
  [
    "engine/domain/a.ts → engine/domain/b.ts → engine/domain/a.ts",
    { "engine/domain/a.ts": 'import "./b.ts";', "engine/domain/b.ts": 'import "./a.ts";' },
  ],
  [
    "engine/domain/a.ts exports Seats",
    {
      "engine/domain/a.ts": "export type Seats = 1;\nexport const all: Seats = 1;",
      "engine/domain/b.ts": 'import { all } from "./a.ts";',
    },
  ],
  ["engine/domain/a.ts imports engine/domain/b", { "engine/domain/a.ts": 'import "./b";', "engine/domain/b.ts": "" }],
];

const sandbox = (files: Record<string, string>): SourceFile[] =>
  Object.entries(files).map(([path, text]) => readSource(path, OPENING + text));

describe("Rejects a program in which", () => {
  const programs = BROKEN_FILES.map(([path, text, fault]) => [path + fault, { [path]: text }] as const);
  it.each([...programs, ...BROKEN])("%s", (fault, files) => {
    expect(RULES.flatMap((rule) => rule.broken(sandbox(files))).join("\n")).toContain(fault);
  });

  it("a file is opened without a check", () => {
    expect(RULES.flatMap((rule) => rule.broken([readSource("engine/domain/a.ts", "export {};")]))).toEqual([
      "src/engine/domain/a.ts",
    ]);
  });
});

describe("Accepts a program that only inspects a secret:", () => {
  it.each(["if (token === undefined) stop();", 'if (came === "secret") stop();', "const n = secret.length === 5;"])(
    "%s",
    (text) => expect(RULES.flatMap((rule) => rule.broken(sandbox({ "engine/http/a.ts": text })))).toEqual([]),
  );
});
