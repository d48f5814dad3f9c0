// A long scenario is read some steps at a time, and nothing of it is another one for that: the same values, errors and positions.
import { expect, test } from "vitest";
import { readPositioned } from "../../../src/platform/positions.ts";
import { readText } from "../../../src/stories/scenario/read-text.ts";

const SIZES = { long: 0, piece: 30 };
const steps = (from: number, to: number, indent = "  ") =>
  Array.from(
    { length: to - from },
    (_, at) => `${indent}- name: s${from + at}\n${indent}  call: getMe\n${indent}  with: { a: [1, "x"] }\n`,
  ).join("");

const outcomeOf = (read: () => unknown) => {
  try {
    return read();
  } catch (reason) {
    return String(reason);
  }
};

test.each<[string, string]>([
  ["plain", `title: t\nsteps:\n${steps(0, 12)}`],
  ["with other members around it", `title: t\nsteps: # these\n${steps(0, 12)}\n# and\nclock: now\ngiven:\n  a: 1\n`],
  ["at the margin", `title: t\nsteps:\n${steps(0, 12, "")}clock: now\n`],
  ["with other ends of lines", `title: t\nsteps:\n${steps(0, 12)}`.replaceAll("\n", "\r\n")],
  ["with comments and empty lines", `steps:\n${steps(0, 5)}\n  # more\n# at the margin\n\n${steps(5, 9)}\n\n`],
  [
    "with texts of many lines",
    `steps:\n${steps(0, 5)}  - name: |\n      - name: no step\n     \n\n  - >-\n   a\n${steps(5, 9)}`,
  ],
  ["with lists in lists", `steps:\n${steps(0, 5)}  - - name: a\n    - name: b\n  -\n    name: c\n${steps(5, 9)}`],
  ["with an alias within reach", `steps:\n${steps(0, 5)}  - { a: &x { b: 1 }, c: *x }\n${steps(5, 9)}`],
  ["with an alias of the first step", `steps:\n  - &x { b: 1 }\n${steps(0, 9)}  - *x\n`],
  ["with an alias of something else", `given: &x { b: 1 }\nsteps:\n${steps(0, 9)}  - { with: *x }\n`],
  ["with an alias of nothing", `steps:\n${steps(0, 9)}  - { with: *x }\n`],
  ["with a brace at the margin", `steps:\n${steps(0, 5)}  - name: {\n    a: 1\n  }\n${steps(5, 9)}`],
  ["with a text that goes over steps", `steps:\n${steps(0, 5)}  - name: "a\n${steps(5, 9)}  b"\n`],
  ["with a text around it", `title: "a\nsteps:\n  - a\n  - b\n  - a long one that is cut\n  - b"\n`],
  ["twice", `steps:\n${steps(0, 5)}steps:\n${steps(5, 9)}`],
  ["with a member twice", `steps:\n${steps(0, 9)}    name: again\n`],
  ["that is not closed", `steps:\n${steps(0, 9)}  - { name: a\n`],
  ["in two documents", `steps:\n${steps(0, 9)}---\nsteps:\n${steps(0, 9)}`],
  ["with something between", `steps:\n${steps(0, 5)} x: 1\n${steps(5, 9)}`],
  ["in braces", JSON.stringify({ title: "t", steps: [{ name: "a" }, { name: "b" }] }, null, 1)],
])("A list of steps %s", (_, text) => {
  const [some, whole] = [readText(text, SIZES), readPositioned(text)];
  expect(some.errors).toEqual(whole.errors);
  if (whole.errors.length > 0) return;
  const value = outcomeOf(() => some.value()) as { steps?: unknown[] } | string;
  expect(value).toEqual(outcomeOf(() => whole.document.toJS()));
  if (typeof value === "string") return;
  const { steps: found = [] } = value;
  const inSteps = found.flatMap((_, step) => ["", "name", "call"].map((name) => ["steps", step, name]));
  for (const path of [["title"], ["clock"], ["given", "a"], ["nothing"], ...inSteps, ["steps", 3, "with", "a", 1]])
    expect([path, some.positionOf(path)]).toEqual([path, whole.positionOf(path)]);
});
