// The form of an act: fields from its schema, what is typed as JSON and as a command, and a refusal at its field.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { readData, readSets, withSets } from "../../src/cli/input-options.ts";
import {
  formatFieldMessage,
  formatInputCommand,
  type Input,
  omitMisfits,
  parseText,
  removeRow,
  toFieldProblems,
  toFields,
  withValue,
} from "../../src/console/forms/form-model.ts";
import control from "../../src/contract/generated/control.json" with { type: "json" };
import type { JsonSchema } from "../../src/contract/json-schema.ts";
import { getValue } from "../../src/platform/member-paths.ts";

const schema: JsonSchema = {
  type: "object",
  required: ["event_id", "items"],
  properties: {
    note: { type: "string", default: "none" },
    event_id: { type: "string", description: "The id of an existing record.", examples: ["evt-evening"] },
    customer: { type: "object", properties: { name: { type: "string" } } },
    items: { type: "array", items: { type: "object", properties: { quantity: { type: "integer" } } } },
    amount: { type: ["integer", "object"], description: "Money." },
    skip_answers: { type: "boolean" },
    scopes: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    name: { type: ["string", "object"] },
  },
};

const named = (member: string) => (member === "event_id" ? "events" : undefined);
const field = (name: string) => toFields(schema, named).find((each) => each.name === name);

describe("the fields of a schema", () => {
  test("are found in the input of every act", () => {
    const schemas = (control as unknown as { components: { schemas: unknown } }).components.schemas as Record<
      string,
      JsonSchema
    >;
    const inputs = Object.entries(schemas).filter(([name]) => name.endsWith("Input"));
    expect(inputs.length).toBeGreaterThan(30);
    for (const [name, each] of inputs)
      expect(toFields(each).length, name).toBe(Object.keys(each.properties ?? {}).length);
  });
});

describe("input", () => {
  test.each([
    ["amount", "25000", 25000],
    ["amount", '{"value": 5}', { value: 5 }],
    ["amount", "12.5", "12.5"],
    ["name", "2030", "2030"],
    ["name", '{"en": "Tour"}', { en: "Tour" }],
    ["note", "true", "true"],
    ["note", '"quoted"', '"quoted"'],
    ["skip_answers", "true", true],
    ["note", "", undefined],
  ])("%s: %s", (name, text, value) => {
    expect(parseText(field(name) ?? { types: [] }, text)).toEqual(value);
  });
  test("is set by its path, and empty values are omitted with their objects", () => {
    const one = withValue({}, ["customer", "name"], "Anna");
    expect(one).toEqual({ customer: { name: "Anna" } });
    expect(withValue(one, ["customer", "name"], undefined)).toEqual({});
    const two = withValue(withValue(one, ["items", 0, "quantity"], 1), ["items", 1, "quantity"], 2);
    expect(getValue(two, ["items", 1, "quantity"])).toBe(2);
    expect(withValue(two, ["items", 0, "quantity"], undefined)).toEqual({
      customer: { name: "Anna" },
      items: [{}, { quantity: 2 }],
    });
    expect(removeRow(two, ["items"], 0)).toEqual({ customer: { name: "Anna" }, items: [{ quantity: 2 }] });
    expect(removeRow(removeRow(two, ["items"], 0), ["items"], 0)).toEqual(one);
  });
});

describe("the command line", () => {
  test("sets fields one by one, quoted where a shell would interpret them", () => {
    const input = {
      booking_id: "bkg-1",
      customer: { name: "Anna O'Neill" },
      items: [{ quantity: 2 }],
      code: "7",
      none: [],
    };
    expect(formatInputCommand("act bookAsHost", input, "berlin")).toBe(
      `npx --no-install sandbox act bookAsHost --set booking_id=bkg-1 --set 'customer={"name":"Anna O'\\''Neill"}' --set 'items=[{"quantity":2}]' --set 'code="7"' --set "none=[]" --world berlin`,
    );
  });
  test.each<Input>([
    { a: "true", b: true, c: { d: ["x", { e: "1" }] }, f: 'say "no"' },
    { text: "line\nline", money: { value: 1, currency: "DKK" }, empty: {}, nothing: "" },
  ])("has the same meaning for the command that parses it: %j", (input) => {
    const shell = formatInputCommand("act x", input).replace(/^.*? act x/s, "printf '%s\\0'");
    const words = execFileSync("sh", ["-c", shell], { encoding: "utf8" }).split("\0").slice(0, -1);
    const sets = words.filter((word) => word !== "--set");
    expect(withSets(readData(undefined, "event_id"), readSets(sets))).toEqual(input);
  });
});

describe("a rejection", () => {
  test("is shown at its paths", () => {
    const violations = [
      { path: "body.booking_id", problem: "a value is required." },
      { path: "body", problem: "must NOT have additional properties; found 'foo'." },
      { path: "body.sessions.0.end_time", problem: "09:00 is not after 10:00." },
    ];
    expect(toFieldProblems({ message: "", violations }, {})).toEqual([
      { path: "booking_id", sentence: "A value is required." },
      { path: "", sentence: "Must NOT have additional properties; found 'foo'." },
      { path: "sessions.0.end_time", sentence: "09:00 is not after 10:00." },
    ]);
  });
  test("is shown at the field whose value it quotes", () => {
    const message = "There is no booking nope. Check the id.";
    expect(toFieldProblems({ message }, { booking_id: "nope", refund: "full" })).toEqual([
      { path: "booking_id", sentence: message },
    ]);
    expect(toFieldProblems({ message: "There is no nope." }, { booking_id: "nope", event_id: "nope" })).toEqual([
      { path: "", sentence: "There is no nope." },
    ]);
    expect(toFieldProblems({ message: "Nothing can be refunded." }, { booking_id: "nope" })).toEqual([
      { path: "", sentence: "Nothing can be refunded." },
    ]);
  });
  test("of a field inside a text field is shown at that text field", () => {
    const faults = [{ path: "amount.value", sentence: "Must be >= 0." }];
    expect(formatFieldMessage(faults, "amount", true)).toBe("Must be >= 0.");
    expect(formatFieldMessage(faults, "amount", false)).toBe("");
    expect(formatFieldMessage(faults, "am", true)).toBe("");
  });
});

test("fields of an address that are no group or list in the form are ignored", () => {
  const read = (input: Input) => omitMisfits(input, toFields(schema, named));
  expect(read({ event_id: 5, items: 5, customer: "x", scopes: {}, more: [] })).toEqual({ event_id: 5, more: [] });
  expect(read({ items: ["x"], customer: [], scopes: null })).toEqual({});
  const whole = { items: [{ quantity: "two" }], customer: { name: "Anna" }, scopes: ["a"] };
  expect(read(whole)).toEqual(whole);
});
