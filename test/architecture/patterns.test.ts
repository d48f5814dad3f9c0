// No pattern of ours can be made to run for long: each of the specifications and each in the sources is tried on much that almost
// match it, in many ways.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import control from "../../src/contract/generated/control.json" with { type: "json" };
import openapi from "../../src/contract/generated/openapi.json" with { type: "json" };
import { extent } from "../extent.ts";

const LENGTH = extent(30_000, 30_000, 100_000);
const MOST_MS = 50;

/** What a pattern may repeat; each is tried after each beginning and before an end that nothing matches. */
const WITHOUT_SPACE =
  'a A 0 9 - . _ = / : % x < & , \t " \\ a1 a. .a -0 0. 1Y 1M1D P1 T1 aA =a a= "a a@ a- secret= {a ::';
const REPEATED = [" ", "aa ", ...WITHOUT_SPACE.split(" ")];
const BEGINNINGS = ["", "a", "0", "P", "P1", "PT", "2030-06-01T09:00:00.", "http://", "body.", "whsec_", '"', "fe80:"];
const ENDS = ["!", "\n"];

/** Every beginning and end by hand; otherwise none and one other beginning for each, with one of the ends in turn. */
const HAS_ALL = extent(false, false, true);
const beginningsOf = (index: number) =>
  HAS_ALL ? BEGINNINGS : ["", BEGINNINGS[1 + (index % (BEGINNINGS.length - 1))] as string];
const endsOf = (turn: number) => (HAS_ALL ? ENDS : ENDS.filter((_, at) => at === turn % ENDS.length));

const strings = REPEATED.flatMap((part, index) =>
  beginningsOf(index).flatMap((beginning, nth) =>
    endsOf(index + nth).map((end) => beginning + part.repeat(LENGTH / part.length) + end),
  ),
);

/** Patterns of a document, wherever they stand. */
function patternsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const each of value) patternsIn(each, found);
  else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) {
      if (name === "pattern" && typeof member === "string") found.add(member);
      else patternsIn(member, found);
    }
  return found;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const documents = [openapi, control, read("spec/fixture.schema.json"), read("spec/scenario.schema.json")];
const ofSpecs = [...new Set(documents.flatMap((document) => [...patternsIn(document)]))];

/** Every regular expression that is written in src/, with its flags. */
function ofSources(): RegExp[] {
  const found = new Map<string, RegExp>();
  const files = readdirSync("src", { recursive: true, encoding: "utf8" });
  for (const name of files.filter((file) => file.endsWith(".ts") && !file.includes("generated"))) {
    const source = ts.createSourceFile(name, readFileSync(join("src", name), "utf8"), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const [, text = "", flags = ""] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? [];
        found.set(node.text, new RegExp(text, flags.replace("y", "")));
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return [...found.values()];
}

/** In time of the processor, and the least of three tries: what the machine does besides does not count. */
function worst(pattern: RegExp, texts: readonly string[] = strings): number {
  const timeOf = (text: string) => {
    const start = process.cpuUsage();
    if (pattern.global) text.replace(pattern, "");
    else pattern.test(text);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  let most = 0;
  for (const text of texts) {
    const first = timeOf(text);
    if (first > most) most = Math.max(most, first < MOST_MS / 5 ? first : Math.min(first, timeOf(text), timeOf(text)));
    if (most > 20 * MOST_MS) return most;
  }
  return most;
}

it("finds patterns in the sources", () => {
  expect(ofSpecs.length).toBeGreaterThan(15);
  expect(ofSources().length).toBeGreaterThan(50);
});

it("finds a pattern with exponential backtracking", () => {
  expect(worst(/\s+$/, [`${" ".repeat(20_000)}!`])).toBeGreaterThan(MOST_MS);
});

it.each(ofSpecs)("accepts a pattern of a specification: %s", (pattern) => {
  expect(worst(new RegExp(pattern, "u"))).toBeLessThan(MOST_MS);
});

it.each(ofSources().map((pattern) => [String(pattern), pattern] as const))(
  "accepts a pattern of the sources: %s",
  (_, pattern) => {
    expect(worst(pattern)).toBeLessThan(MOST_MS);
  },
);
