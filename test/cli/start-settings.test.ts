// The options of `start` as settings: accepted values, and the errors for rejected ones.
import { describe, expect, it } from "vitest";
import { Misuse } from "../../src/cli/failure.ts";
import { type Environment, readOptions, type Typed } from "../../src/cli/options.ts";
import { readSettings, startOptions } from "../../src/cli/start-settings.ts";
import { defaults, type Settings } from "../../src/engine/settings.ts";

const settingsOf = (typed: Typed, environment: Environment = {}) =>
  readSettings(readOptions(startOptions, typed, environment));

/** The settings of a start without options. */
const byDefault: Settings = { ...defaults, port: 4010, data: ".sandbox/world.json" };

const TAKEN: [typed: Typed, environment: Environment, settings: Partial<Settings>][] = [
  [{}, {}, {}],
  [{ port: ["0"], host: ["0.0.0.0"] }, {}, { port: 0, host: "0.0.0.0" }],
  [{ memory: true }, {}, { data: undefined }],
  [{ memory: true }, { SANDBOX_DATA: "w.json" }, { data: undefined }],
  [{ data: ["w.json"] }, { SANDBOX_MEMORY: "1" }, { data: "w.json" }],
  [{ clock: ["2030-06-01T11:00:00+02:00"] }, {}, { clock: "2030-06-01T11:00:00+02:00" }],
  [{ "rate-limit": ["60/min"] }, {}, { rateLimit: 60 }],
  [
    { assume: ["signature-text=v1", "capacity-kind=yes"] },
    {},
    { assume: { "signature-text": "v1", "capacity-kind": "yes" } },
  ],
  [
    {},
    { SANDBOX_ASSUME: "signature-text=v1,capacity-kind=yes" },
    { assume: { "signature-text": "v1", "capacity-kind": "yes" } },
  ],
  [
    { "webhook-url": ["http://127.0.0.1:3000/hook"], "webhook-events": ["v1.booking.created"] },
    {},
    { webhookUrl: "http://127.0.0.1:3000/hook", webhookEvents: ["v1.booking.created"] },
  ],
  [{ seed: ["7"] }, {}, { seed: "7" }],
];

const REFUSED: [typed: Typed, words: string][] = [
  [{ port: ["65536"] }, "--port is 65536"],
  [{ memory: true, data: ["w.json"] }, "--memory keeps nothing on disk, and --data says w.json."],
  [{ clock: ["tomorrow"] }, "--clock is tomorrow, which is not an instant."],
  [{ seed: ["seven"] }, "--seed is seven"],
  [{ "webhook-url": ["localhost:3000"] }, "--webhook-url can't be used: localhost:"],
  [{ "webhook-url": ["http://u:p@127.0.0.1/"] }, "carries credentials"],
  [{ "webhook-events": ["v1.booking.created"] }, "Add --webhook-url"],
  [{ "webhook-url": ["http://a.test/"], "webhook-events": ["v1.booking.made"] }, "Did you mean v1.booking."],
  [{ assume: ["signature-text"] }, "which is not id=value."],
  [{ assume: ["a=1", "a=2"] }, "--assume gives a as 1 and as 2."],
  [{ "rate-limit": ["60"] }, "--rate-limit is the text 60"],
  [{ "control-token": ["a b"] }, "--control-token contains a space"],
];

describe("start accepts", () => {
  it.each(TAKEN)("%j %j", (typed, environment, settings) => {
    expect(settingsOf(typed, environment)).toEqual({ ...byDefault, ...settings });
  });

  it("every setting that the sandbox reads", () => {
    expect(Object.keys(settingsOf({})).sort()).toEqual(Object.keys(defaults).sort());
  });
});

describe("start rejects", () => {
  it.each(REFUSED)("%j", (typed, words) => {
    expect(() => settingsOf(typed)).toThrow(Misuse);
    expect(() => settingsOf(typed)).toThrow(words);
  });
});
