// The table of commands: what the calls that share a command have in common.
import { expect, test } from "vitest";
import { buildControlTables } from "../../src/build/control-table.mjs";

const query = (name: string) => ({ name, in: "query", description: `The ${name}.`, schema: { type: "string" } });
const of = (...parameters: object[]) => ({
  summary: "Show things.",
  parameters,
  responses: {},
  "x-cli": { command: "things" },
});
const id = { ...query("id"), in: "path", required: true };

function optionsOfThings(paths: object) {
  const none = { properties: {} };
  const { "commands.json": table } = buildControlTables({
    "x-cli-groups": {},
    paths,
    components: { parameters: {}, schemas: { FaultInput: none, Quotas: none } },
  }) as { "commands.json": { commands: { calls: object[]; options: { name: string; of?: number[] }[] }[] } };
  const [things] = table.commands;
  return { calls: things?.calls.length, options: things?.options.map(({ name, of: calls }) => [name, calls]) };
}

test("an option that not all operations of a command have lists its operations", () => {
  const list = { get: of(query("q"), query("view"), query("limit")) };
  const one = { "x-cli": { command: "things", arguments: { id: "One of them." } } };
  const paths = {
    "/things": list,
    "/things/{id}": { get: { ...of(id, query("view"), query("limit")), ...one } },
    "/things/{id}/parts": { get: { ...of(id, query("limit")), ...one } },
  };
  expect(optionsOfThings(paths)).toEqual({
    calls: 3,
    options: [
      ["q", [0]],
      ["view", [0, 1]],
      ["limit", undefined],
    ],
  });
});
