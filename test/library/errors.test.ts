// Errors of the library talk of its options and methods, not of the command line or of the HTTP API behind it.
import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z" });
});
afterAll(() => sandbox.close());

it("issues tokens that are no requests of a program, whatever fault the token endpoint has", async () => {
  const world = await sandbox.world();
  await world.faults.arm({ operation: "createToken", status: 503, times: 1 });
  const headers = { authorization: `Bearer ${await world.token()}` };
  expect((await fetch(`${world.url}/v1/me`, { headers })).status).toBe(200);
  expect((await world.requests()).map(({ operation }) => operation)).toEqual(["getMe"]);
  expect(await world.faults.list()).toMatchObject([{ hits: 0 }]);
  await world.remove();
});

const OTHER_WORDS = /--\w|_sandbox|\bbody\.|\bpath\.|\bquery\./;

// biome-ignore lint/suspicious/noExplicitAny: misspelt on purpose, which the types forbid
const wrong = (value: unknown) => value as any;

it.each<[name: string, work: () => Promise<unknown>, words: string]>([
  [
    "an operation that is not",
    () => sandbox.faults.arm(wrong({ operation: "nope", status: 503, times: 1 })),
    "operation: there is no operation nope",
  ],
  [
    "a fault that does nothing",
    () => sandbox.faults.arm(wrong({ operation: "getMe", times: 1 })),
    "input: must hold at least one of status, code, delay_ms, connection, token, answer, page, stale, move or delivery",
  ],
  [
    "a misspelt member",
    () => sandbox.faults.arm(wrong({ operation: "getMe", times: 1, status: 503, delayMs: 5 })),
    "found 'delayMs' instead of 'delay_ms'",
  ],
  [
    "a folder for a world",
    () => sandbox.world({ fixture: "./my-company" }),
    "fixture: ./my-company is not the name of a fixture. To use a folder, start the sandbox with it.",
  ],
  ["a date that is none", () => sandbox.clock.set(new Date(Number.NaN)), "Invalid Date"],
  ["a port that fetch refuses", () => startSandbox({ port: 10080 }), "Port 10080 is rejected by fetch"],
  ["a folder for data", () => startSandbox({ data: tmpdir() }), "is a folder; name another file"],
  ["a snapshot of an odd name", () => sandbox.snapshot("a b"), "name: must be a name of at most 64 letters"],
  [
    "an act without its input",
    () => sandbox.act(wrong("cancelBooking"), wrong({})),
    "booking_id: a value is required.",
  ],
  [
    "an assumption that is not",
    () => startSandbox({ assume: wrong({ foo: "bar" }) }),
    "There is no assumption foo. `sandbox assume` lists them.",
  ],
  ["own postings that are none", () => sandbox.books.reconcile(wrong(undefined)), "The rows are undefined"],
  [
    "options that are no object",
    () => sandbox.fork(wrong(1)),
    "The options of fork are 1. Give an object, or nothing.",
  ],
  ...[
    [() => sandbox.webhooks.waitFor("v1.booking.created", wrong({ payloud: {} })), "webhooks.waitFor", "payload"],
    [() => sandbox.requests(wrong({ statuss: 404 })), "requests", "status"],
    [() => sandbox.log(wrong({ kind: ["act"] })), "log", "kinds"],
    [() => sandbox.books.entries(wrong({ orderid: "x" })), "books.entries", "order_id"],
    [() => sandbox.fork(wrong({ att: 1 })), "fork", "at"],
  ].map(([work, method, meant]): [string, () => Promise<unknown>, string] => [
    `a misspelt option of ${method}`,
    work as () => Promise<unknown>,
    ` of ${method}. Did you mean ${meant}? Known: `,
  ]),
])("%s", async (_, work, words) => {
  const error = await work().then(
    () => new Error("it was accepted"),
    (reason: Error) => reason,
  );
  expect(error.message).toContain(words);
  expect(error).toHaveProperty("code", expect.stringMatching(/^[A-Z_]+$/));
  expect(error.message).not.toMatch(OTHER_WORDS);
});
