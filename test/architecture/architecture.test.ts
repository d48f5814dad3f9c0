// The shape of the program, held: each rule against src/, and against a small program in which it is broken.
import { describe, expect, it } from "vitest";
import { RULES, type Rule } from "./rules.ts";
import { readSource, type SourceFile, sourceFiles } from "./source.ts";

const report = ({ sentence, because }: Rule, places: readonly string[]): string =>
  `The rule is that ${sentence}, because ${because}. It is broken here:\n  ${places.join("\n  ")}`;

describe("In src/", () => {
  const files = sourceFiles();
  it.each(RULES)("$sentence", (rule) => {
    const places = rule.broken(files);
    if (places.length > 0) expect.fail(report(rule, places));
  });
});

const OPENING = "// What this is.\n";

/** Houses with one fault each; what the report must name. */
const BROKEN: [fault: string, files: Record<string, string>][] = [
  ["odd/thing.ts belongs to no part", { "odd/thing.ts": "" }],
  ["domain/booking.ts imports world/ids.ts", { "domain/booking.ts": 'import { id } from "../world/ids.ts";' }],
  ["operations/a.ts imports acts/b.ts", { "operations/a.ts": 'export { b } from "../acts/b.ts";' }],
  ["time/due.ts imports webhooks/outbox.ts", { "time/due.ts": 'const o = await import("../webhooks/outbox.ts");' }],
  [
    "scenario/play.ts imports generated/api.ts",
    { "scenario/play.ts": 'import type { A } from "../generated/api.ts";' },
  ],
  ["domain/a.ts imports generated/openapi.json", { "domain/a.ts": 'import doc from "../generated/openapi.json";' }],
  ["cli/start.ts imports express", { "cli/start.ts": 'import type { Express } from "express";' }],
  [
    "http/app.ts imports @stoplight/prism-http/dist/validator",
    { "http/app.ts": 'import "@stoplight/prism-http/dist/validator";' },
  ],
  ["http/app.ts imports left-pad, which has no row", { "http/app.ts": 'import pad from "left-pad";' }],
  [
    "lowdb has 2 doors in world/",
    { "world/a.ts": 'import { Low } from "lowdb";', "world/b.ts": 'import { Memory } from "lowdb/node";' },
  ],
  ["domain/a.ts uses Date.now", { "domain/a.ts": "export const now = Date.now();" }],
  ["world/a.ts uses new Date()", { "world/a.ts": "export const now = new Date();" }],
  ["time/clock.ts uses Math.random", { "time/clock.ts": "export const n = Math.random();" }],
  ["http/a.ts imports request from node:https", { "http/a.ts": 'import { request } from "node:https";' }],
  ["webhooks/sign.ts uses fetch", { "webhooks/sign.ts": 'await fetch("http://x");' }],
  ["world/ids.ts imports randomUUID from node:crypto", { "world/ids.ts": 'import { randomUUID } from "node:crypto";' }],
  ["acts/a.ts uses setTimeout", { "acts/a.ts": "setTimeout(() => {}, 1);" }],
  ["domain/a.ts → domain/b.ts → domain/a.ts", { "domain/a.ts": 'import "./b.ts";', "domain/b.ts": 'import "./a.ts";' }],
  ["domain/a.ts imports domain/b", { "domain/a.ts": 'import "./b";', "domain/b.ts": "" }],
  ['world/booking-helpers.ts is called "helpers"', { "world/booking-helpers.ts": "" }],
  ["src/domain/giftCard.ts", { "domain/giftCard.ts": "" }],
  ["http/a.ts compares key.secret === given", { "http/a.ts": "if (key.secret === given) go();" }],
  ["http/a.ts compares came !== signature(desk, list)", { "http/a.ts": "if (came !== signature(desk, list)) stop();" }],
  ["http/a.ts compares tokens.includes(token)", { "http/a.ts": "const known = tokens.includes(token);" }],
  [
    "http/a.ts compares authorization.startsWith('Bearer ' + controlToken)",
    { "http/a.ts": "if (authorization.startsWith('Bearer ' + controlToken)) go();" },
  ],
  ["http/a.ts compares switch (secret)", { "http/a.ts": "switch (secret) { case given: go(); }" }],
  ["http/a.ts compares hash.equals(digest(x))", { "http/a.ts": "const same = hash.equals(digest(x));" }],
];

const sandbox = (files: Record<string, string>): SourceFile[] =>
  Object.entries(files).map(([path, text]) => readSource(path, OPENING + text));

describe("A program is refused in which", () => {
  it.each(BROKEN)("%s", (fault, files) => {
    expect(RULES.flatMap((rule) => rule.broken(sandbox(files))).join("\n")).toContain(fault);
  });

  it("a file opens without a word", () => {
    expect(RULES.flatMap((rule) => rule.broken([readSource("domain/a.ts", "export {};")]))).toEqual([
      "src/domain/a.ts",
    ]);
  });
});

describe("A program is not refused in which a secret is only looked at:", () => {
  it.each(["if (token === undefined) stop();", 'if (came === "secret") stop();', "const n = secret.length === 5;"])(
    "%s",
    (text) => expect(RULES.flatMap((rule) => rule.broken(sandbox({ "http/a.ts": text })))).toEqual([]),
  );
});
