// Bad input is refused before anything runs, with file, line and the name that may have been meant.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Sandbox, startSandbox } from "../../../src/index.ts";
import { findScenarioFiles, playCommand, validateScenarios } from "../../../src/stories/scenario/index.ts";
import { ask } from "../../ask.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const folder = makeTempFolder();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ fixture: "empty" });
});
afterAll(() => sandbox.close());
const start = async () => ({ url: sandbox.url, controlUrl: sandbox.controlUrl, close: async () => {} });

const HEAD = "title: A story\nsteps:\n";
let files = 0;
async function problemsOf(text: string, ending = "yaml"): Promise<string[]> {
  const file = join(folder, `story-${++files}.${ending}`);
  writeFileSync(file, text);
  const [problems = []] = await validateScenarios([file], { start });
  return problems.map((problem) => problem.replace(file, "FILE"));
}
const books = "  - name: anna books\n    call: createBooking\n    with: { event_id: evt-evening }\n";

describe("rejects:", () => {
  test("a file with two documents", async () => {
    expect(await problemsOf(`${HEAD}  - { name: a, call: getMe }\n---\n${HEAD}`)).toEqual([
      "FILE:4:1: a second document begins here, but a file can have only one. Move it to a file of its own",
    ]);
  });

  test.each<[string, string, string]>([
    ["an unknown verb", "cal: getMe\n", "FILE:4:10: there is no verb or member `cal`; did you mean `call`?"],
    [
      "an unknown operation",
      "call: createBoking\n",
      "FILE:4:11: there is no operation `createBoking`; did you mean `createBooking`?",
    ],
    [
      "an unknown act",
      "act: cancelBookings\n",
      "FILE:4:10: there is no act `cancelBookings`; did you mean `cancelBooking`?",
    ],
    [
      "an unknown kind",
      "webhook: v1.booking.create\n",
      "FILE:4:14: there is no webhook kind `v1.booking.create`; did you mean `v1.booking.created`?",
    ],
    [
      "an unknown scope",
      "call: getMe\n    as: [booking.reed]\n",
      "FILE:5:10: there is no scope `booking.reed`; did you mean `booking.read`?",
    ],
    [
      "an unknown matcher",
      "call: getMe\n    expect: { status: { $lenght: 3 } }\n",
      "FILE:5:34: there is no matcher `$lenght`; did you mean `$length`?",
    ],
    [
      "a length that nothing has",
      "call: getMe\n    expect: { body: { $length: x } }\n",
      'FILE:5:32: `$length` is a whole number from 0, or a matcher, but this is "x"',
    ],
    [
      "an order that nothing is in",
      "call: getMe\n    expect: { status: { $gt: [] } }\n",
      "FILE:5:30: `$gt` is a number or a text, but this is []",
    ],
    [
      "an unknown answer",
      "call: getMe\n    expect: { stats: 200 }\n",
      "FILE:5:22: there is no answer `stats`; did you mean `status`?",
    ],
    [
      "a reference to no step",
      `${books}  - name: b\n    act: cancelBooking\n    with: { booking_id: "\${anna boks.body.id}" }\n`,
      "FILE:8:25: there is no earlier step `anna boks`; did you mean `anna books`?",
    ],
    [
      "a reference that is not closed",
      `${books}  - name: b\n    act: cancelBooking\n    with: { booking_id: "\${anna books.body.id" }\n`,
      `FILE:8:25: \${anna books.body.id: a reference ends with }; $\${ writes \${ itself`,
    ],
    [
      "a reference to a later step",
      `  - name: b\n    act: cancelBooking\n    with: { booking_id: "\${anna books.body.id}" }\n${books}`,
      "FILE:5:25: `anna books` comes later, and a reference names an earlier step",
    ],
    [
      "a reference to what a step does not have",
      `${books}  - name: b\n    act: cancelBooking\n    with: { booking_id: "\${anna books.bdy.id}" }\n`,
      "there is no answer `bdy`; did you mean `body`?",
    ],
    [
      "an environment name that is not set",
      `act: cancelBooking\n    with: { booking_id: "\${env.NOT_SET_HERE}" }\n`,
      "the environment has no NOT_SET_HERE",
    ],
    [
      "a given value there is not",
      `act: cancelBooking\n    with: { booking_id: "\${given.anna}" }\n`,
      "there is no given value `anna`",
    ],
    [
      "two verbs",
      "call: getMe\n    act: cancelBooking\n",
      "FILE:3:5: a step has one verb of call, act, trigger, advance, webhook, fault, receiver, assume, repeat; this has call and act",
    ],
    ["no verb", "expect: { status: 200 }\n", "FILE:3:5: a step has one verb of"],
    ["a name twice", `${books}${books}`, "two steps are called `anna books`"],
    [
      "an operation that is to fail and does not exist",
      "fault: { operation: getBokings, status: 500, times: 1 }\n",
      "there is no operation `getBokings`",
    ],
    [
      "the same among several, with its line",
      "fault:\n      - { operation: getMe, status: 500, times: 1 }\n      - { operation: getMy, status: 500, times: 1 }\n",
      "FILE:6:22: there is no operation `getMy`; did you mean `getMe`?",
    ],
    [
      "a fault that would do nothing",
      "fault: { operation: getMe, times: 1 }\n",
      "FILE:4:12: a fault says what goes wrong: `status`, `code`, `delay_ms`, `connection`, `token`, `answer`, `page`, `stale`, `move` or `delivery`",
    ],
    ["a call without what its path needs", "call: getBooking\n", "FILE:4:11: getBooking needs `bookingId`"],
    [
      "a call whose path gets nothing",
      "call: getBooking\n    with: { bookingId: null }\n",
      "FILE:5:11: getBooking needs `bookingId` in `with`",
    ],
    [
      "a misspelt path parameter",
      "call: extendGiftCardExpiry\n    with: { giftCardID2: gc, expires_at: x }\n",
      "FILE:5:26: there is no parameter `giftCardID2`; did you mean `giftCardId`?",
    ],
    [
      "a misspelt query parameter",
      "call: listBookings\n    with: { limt: 2 }\n",
      "FILE:5:19: there is no parameter of listBookings `limt`; did you mean `limit`?",
    ],
    [
      "a query parameter that nobody documents",
      "call: listBookings\n    with: { colour: blue }\n",
      "FILE:5:21: there is no parameter of listBookings `colour`; there are cursor, limit, from, to, sort, status; to send it anyway, write it in `query`",
    ],
    ["an act without what it needs", "act: cancelBooking\n", "FILE:4:10: cancelBooking needs `booking_id` in `with`"],
    [
      "a misspelt input of an act",
      "act: cancelBooking\n    with: { booking_id: b, refnd: full }\n",
      "FILE:5:35: there is no member `refnd`; did you mean `refund`?",
    ],
    [
      "an input of an act that can't be",
      "act: cancelBooking\n    with: { booking_id: b, refund: ful }\n",
      "FILE:5:36: there is no value `ful`; did you mean `full`?",
    ],
    [
      "a misspelt input of an act that is to be refused for another reason",
      "act: cancelBooking\n    with: { bookingid: b }\n    expect: { code: WRONG_STATE }\n",
      "FILE:5:24: there is no member `bookingid`; did you mean `booking_id`?",
    ],
    [
      "a misspelt input in rounds",
      "act: cancelBooking\n    repeat: { times: 2, with: { bookingid: b } }\n",
      "FILE:5:44: there is no member `bookingid`; did you mean `booking_id`?",
    ],
    [
      "a verb in a repeat and the same beside it",
      "call: listLocations\n    repeat: { times: 2, call: getMe }\n",
      "FILE:5:31: `call` stands in `repeat` and beside it; leave one of them out",
    ],
    [
      "a verb beside the steps of a repeat",
      "call: listLocations\n    repeat: { times: 2, steps: [{ name: b, call: getMe }] }\n",
      "FILE:5:13: it repeats one verb, or `steps`",
    ],
    [
      "a status in quotes",
      'call: getMe\n    expect: { status: "200" }\n',
      'FILE:5:23: a status is a number such as 200, but this is "200"',
    ],
    ["a status that never comes", "call: getMe\n    expect: { status: 20 }\n", "FILE:5:23: a status is a number"],
    [
      "fewer webhooks than none",
      "webhook: v1.booking.created\n    expect: { times: -1 }\n",
      "FILE:5:22: `times` is a whole number from 0, but this is -1",
    ],
    [
      "a matcher of existence that asks neither",
      "call: getMe\n    expect: { body: { $exists: no way } }\n",
      "`$exists` is true or false",
    ],
    [
      "parameters for an act",
      "act: archiveExperience\n    with: { experience_id: x }\n    query: { a: 1 }\n",
      "`query` belongs to `call`",
    ],
    ["a token for an act", "act: cancelBooking\n    as: none\n", "`as` belongs to `call`"],
    [
      "a pattern that is none",
      'call: getMe\n    expect: { body: { email: { $match: "(" } } }\n',
      "FILE:5:40: `(` is not a regular expression: missing closing )",
    ],
    [
      "a pattern that looks ahead",
      'call: getMe\n    expect: { body: { id: { $match: "a(?=b)" } } }\n',
      "has a lookaround or a back-reference",
    ],
    [
      "a duration that is none",
      "advance: P1Z\n",
      "FILE:4:14: a clock advances by a duration (PT12H), until an instant (2030-06-01T20:00:00Z), or to `next`, but this is",
    ],
    ["an instant that is none", "advance: 2030-02-30T20:00:00Z\n", 'but this is "2030-02-30T20:00:00Z"'],
    ["a word for a time", "advance: tomorrow\n", 'but this is "tomorrow"'],
    ["two ways at once", "advance: { by: P1D, to: next }\n", "FILE:4:14: a clock advances by"],
    [
      "a duration that is none, in rounds",
      "repeat: { times: 2, advance: P }\n",
      "FILE:4:34: a clock advances by a duration (PT12H), until an instant",
    ],
    [
      "a round outside of repeat",
      `act: cancelBooking\n    with: { booking_id: "b-\${round}" }\n`,
      "is known only within `repeat`",
    ],
    [
      "a reference within a reference",
      `${books}  - name: b\n    act: cancelBooking\n    with: { booking_id: "\${anna books.body.items[\${round}].id}" }\n`,
      "a reference can't contain another reference",
    ],
  ])("%s", async (_, rest, problem) => {
    const steps = rest.startsWith("  - ") ? rest : `  - name: a\n    ${rest}`;
    expect((await problemsOf(HEAD + steps)).join("\n")).toContain(problem);
  });

  test("faults that the sandbox always rejects, with the same rules", async () => {
    const faults = [
      "{ operation: getMe, page: { short: true }, times: 1 }",
      "{ operation: getMe, delivery: { do: drop }, times: 1 }",
      "{ operation: getMe, status: 503, connection: reset, times: 1 }",
      "{ client_id: partner, delivery: { do: drop }, times: 1 }",
      "{ operation: createToken, token: { revoke: true }, times: 1 }",
      "{ operation: getMe, stale: true, times: 1 }",
      "{ operation: getMe, stale: true, status: 503, times: 1 }",
      "{ status: 503, times: 1 }",
      "{ operation: getMe, code: FOO, times: 1 }",
    ];
    const armed = faults.map((fault) => parse(fault) as object);
    const reasons = await Promise.all(
      armed.map(async (fault) => {
        const { status, body } = await ask("put", `${sandbox.controlUrl}/faults`, {}, { faults: [fault] });
        return [status, body.message];
      }),
    );
    const found = await problemsOf(
      `${HEAD}${faults.map((each, at) => `  - { name: f${at}, fault: ${each} }\n`).join("")}`,
    );
    expect(found.map((problem) => problem.replace(/^FILE:\d+:\d+: `(.*?)`: /, "$1 "))).toEqual(
      reasons.map(([, message]) => String(message).replace(/^.*?body\.faults\.0\.(\S+?):? /, "$1 ")),
    );
    expect(reasons.map(([status]) => status)).toEqual(faults.map(() => 400));
    const expected = `${HEAD}  - { name: f, fault: ${faults[0]}, expect: { status: 400 } }\n`;
    expect(await problemsOf(expected)).toEqual([]);
  });

  test("clocks that no world can have, and moves that are too long", async () => {
    const blank = '"2030-06-01 09:00:00Z"';
    const text = `clock: ${blank}\n${HEAD}  - { name: a, advance: ${blank} }\n  - { name: b, advance: P11Y }\n  - { name: c, advance: { by: P121M } }\n`;
    expect(await problemsOf(text)).toEqual([
      `FILE:1:8: must match format "date-time", but it is ${blank}`,
      `FILE:4:25: a clock advances by a duration (PT12H), until an instant (2030-06-01T20:00:00Z), or to \`next\`, but this is ${blank}`,
      "FILE:5:25: a clock moves by at most P10Y at a time, but this is P11Y; go in smaller steps",
      "FILE:6:31: a clock moves by at most P10Y at a time, but this is P121M; go in smaller steps",
    ]);
  });

  test.each([
    "P1M",
    "P10Y",
    "PT0S",
    "PT0.001S",
    "{ by: PT1H0.5S }",
    "P2W",
    "next",
    "2030-06-01T20:00:00Z",
    "2030-06-01T22:00:00.5+02:00",
    `"\${given.day}"`,
  ])("but not %s, which a clock can advance by or to", async (way) =>
    expect(await problemsOf(`given: { day: P1D }\n${HEAD}  - name: a\n    advance: ${way}\n`)).toEqual([]),
  );

  test.each([
    ["title: A: B\nsteps: []\n", /^FILE:1:\d+: /],
    [`seed: -5\n${HEAD}${books}`, /^FILE:1:7: must be >= 0/],
    [`seed: seven\n${HEAD}${books}`, /^FILE:1:7: must .* but it is "seven"$/],
    [
      "steps:\n  - name: a\n   call: getMe\n",
      /^FILE:3:1: the line is indented by 3, and the lines above it by 0, 2, 4\. /,
    ],
    ["steps:\n  - name: a\n\tcall: getMe\n", /^FILE:3:1: a tab can't indent a line\. Use spaces/],
    [
      "steps:\n  - name: a\n      call: getMe\n",
      /^FILE:2:\d+: a value in the line of its name .*don't indent the next line/,
    ],
  ])(
    "broken YAML or a wrong indentation, with its line, or a seed that is no number from 0: %j",
    async (text, problem) => {
      expect((await problemsOf(text))[0]).toMatch(problem);
    },
  );

  test.each([
    ["yaml", `${HEAD}  - name: a\n    call: getMe\n    name: b\n`, "FILE:5:5"],
    ["yaml", `given: { a: { 1: x, "1": y } }\n${HEAD}${books}`, "FILE:1:21"],
    ["json", '{ "title": "A", "steps": [\n{ "name": "a", "call": "getMe", "n\\u0061me": "b" }] }', "FILE:2:33"],
  ])("a duplicate key, in %s", async (ending, text, position) => {
    expect(await problemsOf(text, ending)).toEqual([
      `${position}: one map has this name twice. Remove or rename one of the two`,
    ]);
  });

  test("a name where a position in a list belongs", async () => {
    const reference = "$".concat("{anna books.body.items[x].id}");
    const cancel = `  - { name: b, act: cancelBooking, with: { booking_id: "${reference}" } }\n`;
    const [problem] = await problemsOf(`${HEAD}${books}${cancel}`);
    expect(problem).toMatch(/^FILE:6:\d+: \[x\] is no position in a list: write \[0\] for the first/);
  });

  test.each([
    ["fixture: harbor-tours", "FILE:1:10: there is no fixture `harbor-tours`; did you mean `harbour-tours`?"],
    [
      "assume: { signature-tex: v1 }",
      "FILE:1:26: there is no assumption `signature-tex`; did you mean `signature-text`?",
    ],
    ["assume: { signature-text: v2 }", "FILE:1:27: there is no answer to signature-text `v2`; did you mean `v1`?"],
  ])("%s", async (head, problem) => expect(await problemsOf(`${head}\n${HEAD}${books}`)).toEqual([problem]));

  test("everything at once, in the order of the file, each error on one line", async () => {
    const text = `${HEAD}  - name: a
    fault: { operation: getMee, status: 500, times: 1 }
  - name: b
    webhook: v1.booking.create
    expect: { payload: { id: "\${nobody here.body.id}" } }
  - name: c
    call: listBookings
    with: { limt: 2 }
`;
    expect(await problemsOf(text)).toEqual([
      "FILE:4:25: there is no operation `getMee`; did you mean `getMe`?",
      expect.stringMatching(/^FILE:6:14: there is no webhook kind `v1\.booking\.create`/),
      expect.stringMatching(/^FILE:7:30: there is no earlier step `nobody here`/),
      expect.stringMatching(/^FILE:10:19: there is no parameter of listBookings `limt`/),
    ]);
  });

  test("headers that HTTP can't represent", async () => {
    const text = `given: { guest: "€" }
${HEAD}  - name: a
    call: getMe
    headers: { "bad header": x, x-fine: Søren, x-number: 1, x-guest: "\${given.guest}", x-name: "Søren €" }
  - name: b
    receiver: { answer: 200, headers: { x-two: "a\\nb" } }
`;
    const content = "a header can't hold this: it has letters of Latin-1 only, and no line breaks";
    expect(await problemsOf(text)).toEqual([
      "FILE:6:30: a header can't be called `bad header`",
      `FILE:6:96: ${content}`,
      `FILE:8:48: ${content}`,
    ]);
  });

  test("a file that is not UTF-8, also in a folder", async () => {
    const own = makeTempFolder();
    writeFileSync(join(own, "latin.yaml"), Buffer.from(`${HEAD}  - { name: Søren, call: getMe }\n`, "latin1"));
    const { files: found } = findScenarioFiles([own]);
    const problem = `${own}/latin.yaml: is not UTF-8, as line 3 shows. Save it as UTF-8.`;
    expect(await validateScenarios(found, { start })).toEqual([[problem]]);
  });

  test("up to a hundred errors", async () => {
    const all = await problemsOf(
      HEAD + Array.from({ length: 300 }, (_, n) => `  - name: s${n}\n    call: no\n`).join(""),
    );
    expect([all.length, all.at(-1)]).toEqual([101, "FILE: there are more problems; fix these first"]);
  });

  test("no title and no steps, in JSON too", async () => {
    expect(await problemsOf('{ "steps": [] }', "json")).toEqual([
      expect.stringMatching(/^FILE:1:1: `title` is missing$/),
      expect.stringMatching(/^FILE:1:12: .*must not be empty/),
    ]);
  });
});

describe("accepts:", () => {
  test.each([
    ["a body that is wrong on purpose", "  - { name: a, call: createBooking, with: { evnt_id: x } }\n"],
    [
      "an act's input that is to be refused",
      "  - { name: a, act: cancelBooking, with: { id: x }, expect: { status: 400 } }\n",
    ],
    [
      "references for whatever they stand for",
      `  - { name: a, call: getMe }\n  - { name: b, act: cancelBooking, with: { booking_id: "\${a.body.id}", refund: "\${a.body.x}" } }\n`,
    ],
    ["a parameter sent on purpose", "  - { name: a, call: listBookings, query: { colour: blue } }\n"],
    ["a connection that breaks", "  - { name: a, call: getMe, expect: { status: null } }\n"],
    ["no webhook", "  - { name: a, webhook: v1.booking.created, expect: { times: 0 } }\n"],
    ["a status of many", "  - { name: a, call: getMe, expect: { status: { $lt: 300 } } }\n"],
    [
      "a pattern with a reference",
      `given: { x: a }\nsteps:\n  - { name: a, call: getMe, expect: { body: { id: { $match: "\${given.x}" } } } }\n`,
    ],
  ])("%s", async (_, steps) => {
    expect(await problemsOf(steps.startsWith("given") ? `title: A story\n${steps}` : HEAD + steps)).toEqual([]);
  });

  test("thousands of steps, quickly", async () => {
    const steps = Array.from(
      { length: 4_000 },
      (_, n) => `  - { name: s${n}, call: getMe, as: "raw:\${s${Math.max(0, n - 1)}.body.id}" }\n`,
    );
    const problems = await problemsOf(HEAD + steps.join(""));
    expect(problems).toEqual([expect.stringContaining("`s0` comes later")]);
  });
});

test("expected fields can have the name of an inherited property", async () => {
  const metadata = "{ toString: b, constructor: zzz, valueOf: 1 }";
  expect(
    await problemsOf(`${HEAD}  - { name: a, call: getMe, expect: { body: { metadata: ${metadata} } } }\n`),
  ).toEqual([]);
});

test("the command exits with 2, reports everything, and plays nothing", async () => {
  const message: string[] = [];
  const file = join(folder, "bad.yaml");
  writeFileSync(file, `${HEAD}  - name: a\n    call: getMee\n`);
  writeFileSync(join(folder, "clock.yaml"), `${HEAD}  - name: a\n    advance: P1Z\n`);
  const code = await playCommand([file, join(folder, "clock.yaml"), join(folder, "nowhere")], {
    start,
    write: () => {},
    reportComplaint: (text) => void message.push(text),
  });
  expect(code).toBe(2);
  expect(message.join("")).toContain("did you mean `getMe`?");
  expect(message.join("")).toContain("clock.yaml:4:14: a clock advances by a duration");
  expect(message.join("")).toContain("nowhere: there is no such file or folder");
});
