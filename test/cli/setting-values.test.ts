// The values that each setting takes, and at its edges those that it does not; and the forms in which one can be written.
import { describe, expect, it } from "vitest";
import { cors, host, isLoopbackUrl, toExcerpt, type WhyNot } from "../../src/engine/setting-values.ts";
import { readSettings, type SandboxOptions } from "../../src/engine/settings.ts";
import { isLoopback } from "../../src/platform/loopback.ts";

const [loopbackHost, loopbackAddress] = [host.inFile as WhyNot, cors.inFile as WhyNot];

/** What is read from a value; or the words about it. */
function read(property: keyof SandboxOptions, value: unknown, more: object = {}): unknown {
  try {
    return readSettings({ [property]: value, ...more } as SandboxOptions)[property];
  } catch (reason) {
    return (reason as Error).message;
  }
}

describe("A setting accepts values within its limits, and no others", () => {
  it.each<[property: keyof SandboxOptions, taken: unknown[], refused: unknown[]]>([
    ["port", [0, 65_535], [-1, 65_536, 1.5, "80"]],
    ["rateLimit", [1, 999_999_999], [0, 1_000_000_000, "60"]],
    ["worldsInMemory", [1, 999_999_999], [0, 1_000_000_000]],
    ["logBytes", [1, 999_999_999], [0, 1_000_000_000]],
    ["strictResponses", [true, false], ["true", 1, null]],
    ["audience", [[], ["a"]], ["a", [""], [1]]],
    ["assume", [{}, { ids: "uuid" }], ["ids", { ids: 1 }, null]],
    ["controlToken", ["!~"], ["a b", "a\u00e6", ""]],
    ["nodeUrl", ["http://a:1", "https://a/"], ["ftp://a", "http://a/b", "a:1", "http://"]],
    ["database", ["postgres://a", "postgresql://a"], ["mysql://a", 1]],
    ["cors", [["*"], ["http://a:3000"]], [["http://a/"], ["http://a/b"], [""], "*"]],
  ])("%s", (property, taken, refused) => {
    expect(taken.map((value) => read(property, value))).toEqual(taken);
    for (const value of refused) expect(String(read(property, value)), String(value)).toMatch(/^\w+ (is|contains) /);
  });

  it.each(["webhookUrl", "nodeUrl", "publicUrl"] as const)("%s: also as a URL, stored as text", (property) => {
    expect(read(property, new URL("http://127.0.0.1:9"))).toBe("http://127.0.0.1:9/");
  });

  it("seed: an integer of up to 30 digits, stored as text", () => {
    expect([7, "-7", "9".repeat(30)].map((seed) => read("seed", seed))).toEqual(["7", "-7", "9".repeat(30)]);
    for (const seed of ["9".repeat(31), "7.5", "", 2 ** 60])
      expect(read("seed", seed)).toMatch(/^seed is .* whole number/);
  });
});

it.each<[keyof SandboxOptions, value: unknown, read: unknown]>([
  ["clock", new Date("2030-06-01T09:00:00Z"), "2030-06-01T09:00:00.000Z"],
  ["clock", "now", "now"],
  ["clock", "anchor", "anchor"],
  [
    "clock",
    new Date("x"),
    "clock is Invalid Date, which is not an instant. Write it as 2030-06-01T09:00:00Z, or now or anchor.",
  ],
  ["rateLimit", "60/min", 60],
  ["rateLimit", "60/hour", 'rateLimit is 60/hour, which is not a number of requests a minute, such as 60 or "60/min".'],
  ["assume", ["ids=uuid", "a=b=c"], { ids: "uuid", a: "b=c" }],
  ["assume", [], {}],
])("%s, written as %j", (property, value, expected) => {
  expect(read(property, value)).toEqual(expected);
});

it("several kinds of webhooks can be written as one value, and need an address", () => {
  const webhookUrl = "http://127.0.0.1:3000/hook";
  const kinds = ["v1.booking.created", "v1.booking.cancelled"];
  expect(read("webhookEvents", "v1.booking.created, v1.booking.cancelled ", { webhookUrl })).toEqual(kinds);
  expect(read("webhookEvents", kinds)).toBe(
    "webhookEvents says what to send, but not where. Add webhookUrl, or leave it out.",
  );
  expect(read("webhookEvents", [], { webhookUrl })).toBe(
    "webhookEvents names no kind. Name at least one, or leave it out for all.",
  );
});

describe("The loopback of this machine", () => {
  it("is these hosts, and none that only begins or ends like them", () => {
    const hosts = ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "[::1]"];
    const others = ["localhost.example", "a.localhost", "127.0.0.1.example", "127.0.0", "10.127.0.0.1", "::11", ""];
    expect([...hosts, ...others].filter(isLoopback)).toEqual(hosts);
    expect([...hosts, ...others].filter((host) => loopbackHost(host) === undefined)).toEqual([...hosts, ""]);
  });

  it("is these complete addresses", () => {
    const urls = ["http://127.0.0.1:4010", "http://localhost", "http://[::1]:80", "https://127.0.0.1"];
    const others = [
      ...["http://127.0.0.1/a", "http://u@127.0.0.1", "http://127.0.0.1?a", "http://10.0.0.1"],
      ...["http://127.0.0.1.example", "127.0.0.1"],
    ];
    expect([...urls, ...others].filter(isLoopbackUrl)).toEqual(urls);
  });

  it("is all that a folder can configure, alone or in a list, and other errors are left to the setting", () => {
    const taken = ["http://127.0.0.1:1/hook", ["http://localhost:1", "http://[::1]:2"], "nonsense", []];
    expect(taken.map(loopbackAddress)).toEqual(taken.map(() => undefined));
    for (const value of ["http://a.example/", ["http://localhost", "http://a.example"]])
      expect(loopbackAddress(value)).toBe("is a.example, which is not of this machine's loopback.");
    expect(loopbackAddress(["*"])).toBe("is *, which is not of this machine's loopback.");
  });
});

it("A long value is truncated in a message", () => {
  expect([toExcerpt("x".repeat(60)), toExcerpt("x".repeat(61))]).toEqual(["x".repeat(60), `${"x".repeat(60)}…`]);
});
