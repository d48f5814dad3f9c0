// --data and --set: how the input of a request is read from the command line.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readData, readSets, withSets } from "../../src/cli/input-options.ts";
import { makeTempFolder } from "../temp-folder.ts";

const made = (data: string | undefined, ...sets: string[]) => withSets(readData(data, "booking_id"), readSets(sets));

const MADE: [data: string | undefined, sets: string[], input: object][] = [
  [undefined, ["booking_id=bkg-1", "refund=full"], { booking_id: "bkg-1", refund: "full" }],
  [undefined, ["capacity=12", "open=true", "note=null"], { capacity: 12, open: true, note: null }],
  [undefined, ['name="12"', "formula=a=b", "empty="], { name: "12", formula: "a=b", empty: "" }],
  [undefined, ["customer.name=Anna", "customer.age=3"], { customer: { name: "Anna", age: 3 } }],
  [undefined, ["items.0.quantity=2", "items.1.quantity=3"], { items: [{ quantity: 2 }, { quantity: 3 }] }],
  [undefined, ["sessions=[1,2]", "sessions.1=3"], { sessions: [1, 3] }],
  [
    '{"customer": {"name": "Bo"}}',
    ["customer.email=b@example.com"],
    { customer: { name: "Bo", email: "b@example.com" } },
  ],
];

describe("Builds an input", () => {
  it.each(MADE)("from %s and %j", (data, sets, input) => {
    expect(made(data, ...sets)).toEqual(input);
  });

  it("from own fields only", () => {
    const input = made(undefined, "__proto__.polluted=1");
    expect(Object.keys(input)).toEqual(["__proto__"]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

it("--data @file accepts a byte order mark, and rejects text that is not UTF-8", () => {
  const file = join(makeTempFolder(), "input.json");
  writeFileSync(file, '\ufeff{"booking_id": "bkg-1"}');
  expect(made(`@${file}`)).toEqual({ booking_id: "bkg-1" });
  writeFileSync(file, Buffer.from('{\n"name": "Bj\u00f8rn"}', "latin1"));
  expect(() => made(`@${file}`)).toThrow(`--data @${file} is not UTF-8, as line 2 shows.`);
});
