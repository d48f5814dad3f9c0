// Bad input is refused before anything runs, with file, line and the name that may have been meant.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { playCommand, validateScenarioFile } from "../../src/scenario/index.ts";

const folder = mkdtempSync(join(tmpdir(), "scenarios-"));
afterAll(() => rmSync(folder, { recursive: true }));

const HEAD = "title: A story\nsteps:\n";
let files = 0;
async function faultsOf(text: string, ending = "yaml"): Promise<string[]> {
  const file = join(folder, `story-${++files}.${ending}`);
  writeFileSync(file, text);
  return (await validateScenarioFile(file)).map((fault) => fault.replace(file, "FILE"));
}
const books = "  - name: anna books\n    call: createBooking\n    with: { event_id: evt-evening }\n";

describe("refused:", () => {
  test.each<[string, string, string]>([
    [
      "an unknown verb",
      "  - name: a\n    cal: getMe\n",
      "FILE:4:10: there is no verb or member `cal`; did you mean `call`?",
    ],
    [
      "an unknown operation",
      "  - name: a\n    call: createBoking\n",
      "FILE:4:11: there is no operation `createBoking`; did you mean `createBooking`?",
    ],
    [
      "an unknown act",
      "  - name: a\n    act: cancelBookings\n",
      "FILE:4:10: there is no act `cancelBookings`; did you mean `cancelBooking`?",
    ],
    [
      "an unknown kind",
      "  - name: a\n    webhook: v1.booking.create\n",
      "FILE:4:14: there is no webhook kind `v1.booking.create`; did you mean `v1.booking.created`?",
    ],
    [
      "an unknown scope",
      "  - name: a\n    call: getMe\n    as: [booking.reed]\n",
      "FILE:5:10: there is no scope `booking.reed`; did you mean `booking.read`?",
    ],
    [
      "an unknown matcher",
      "  - name: a\n    call: getMe\n    expect: { status: { $lenght: 3 } }\n",
      "FILE:5:34: there is no matcher `$lenght`; did you mean `$length`?",
    ],
    [
      "an unknown answer",
      "  - name: a\n    call: getMe\n    expect: { stats: 200 }\n",
      "FILE:5:22: there is no answer `stats`; did you mean `status`?",
    ],
    [
      "a reference to no step",
      `${books}  - name: b\n    act: cancelBooking\n    with: { booking_id: "\${anna boks.body.id}" }\n`,
      "FILE:8:25: there is no earlier step `anna boks`; did you mean `anna books`?",
    ],
    [
      "a reference to a later step",
      `  - name: b\n    act: cancelBooking\n    with: { booking_id: "\${anna books.body.id}" }\n${books}`,
      "there is no earlier step `anna books`",
    ],
    [
      "a reference to what a step does not have",
      `${books}  - name: b\n    act: cancelBooking\n    with: { booking_id: "\${anna books.bdy.id}" }\n`,
      "there is no answer `bdy`; did you mean `body`?",
    ],
    [
      "an environment name that is not set",
      `  - name: a\n    act: cancelBooking\n    with: { booking_id: "\${env.NOT_SET_HERE}" }\n`,
      "the environment has no NOT_SET_HERE",
    ],
    [
      "a given value there is not",
      `  - name: a\n    act: cancelBooking\n    with: { booking_id: "\${given.anna}" }\n`,
      "there is no given value `anna`",
    ],
    [
      "two verbs",
      "  - name: a\n    call: getMe\n    act: cancelBooking\n",
      "FILE:3:5: a step has one verb of call, act, advance, webhook, fault, receiver, repeat; this has call and act",
    ],
    ["no verb", "  - name: a\n    expect: { status: 200 }\n", "FILE:3:5: a step has one verb of"],
    ["a name twice", `${books}${books}`, "two steps are called `anna books`"],
    [
      "an operation that is to fail and does not exist",
      "  - name: a\n    fault: { operation: getBokings, status: 500, times: 1 }\n",
      "there is no operation `getBokings`",
    ],
    ["a token for an act", "  - name: a\n    act: cancelBooking\n    as: none\n", "`as` belongs to `call`"],
    [
      "a pattern that is none",
      '  - name: a\n    call: getMe\n    expect: { body: { email: { $match: "(" } } }\n',
      "( is not a regular expression",
    ],
    [
      "a duration that is none",
      "  - name: a\n    advance: P1Z\n",
      "FILE:4:14: a clock advances by a duration (PT12H), until an instant (2030-06-01T20:00:00Z), or to `next`, but this is",
    ],
    [
      "an instant that is none",
      "  - name: a\n    advance: 2030-02-30T20:00:00Z\n",
      'but this is "2030-02-30T20:00:00Z"',
    ],
    ["a word for a time", "  - name: a\n    advance: tomorrow\n", 'but this is "tomorrow"'],
    ["a duration by name that is none", "  - name: a\n    advance: { by: P1.5D }\n", 'but this is {"by":"P1.5D"}'],
    ["an instant by name that is none", "  - name: a\n    advance: { until: noon }\n", 'this is {"until":"noon"}'],
    ["two ways at once", "  - name: a\n    advance: { by: P1D, to: next }\n", "FILE:4:14: a clock advances by"],
    [
      "a duration that is none, in rounds",
      "  - name: a\n    repeat: { times: 2, advance: P }\n",
      "FILE:4:34: a clock advances by a duration (PT12H), until an instant",
    ],
    [
      "a round outside of repeat",
      `  - name: a\n    act: cancelBooking\n    with: { booking_id: "b-\${round}" }\n`,
      "is known only within `repeat`",
    ],
  ])("%s", async (_, steps, fault) => expect((await faultsOf(HEAD + steps)).join("\n")).toContain(fault));

  test.each(["P1M", "PT0S", "P2W", "next", "2030-06-01T20:00:00Z", "2030-06-01T22:00:00.5+02:00", `"\${given.day}"`])(
    "but not %s, which a clock can advance by or to",
    async (way) => expect(await faultsOf(`given: { day: P1D }\n${HEAD}  - name: a\n    advance: ${way}\n`)).toEqual([]),
  );

  test("broken YAML, with its line", async () => {
    expect((await faultsOf("title: A: B\nsteps: []\n"))[0]).toMatch(/^FILE:1:\d+: /);
  });

  test("a seed that is no number", async () => {
    expect((await faultsOf(`seed: seven\n${HEAD}${books}`))[0]).toMatch(/^FILE:1:7: must .* but it is "seven"$/);
  });

  test("no title and no steps, in JSON too", async () => {
    expect(await faultsOf('{ "steps": [] }', "json")).toEqual([
      expect.stringMatching(/^FILE:1:1: `title` is missing$/),
      expect.stringMatching(/^FILE:1:12: .*fewer than 1 items/),
    ]);
  });
});

test("the command exits with 2, says everything, and starts nothing that stays", async () => {
  const said: string[] = [];
  const file = join(folder, "bad.yaml");
  writeFileSync(file, `${HEAD}  - name: a\n    call: getMee\n`);
  writeFileSync(join(folder, "clock.yaml"), `${HEAD}  - name: a\n    advance: P1Z\n`);
  const start = () => Promise.reject(new Error("nothing should start"));
  const code = await playCommand([file, join(folder, "clock.yaml"), join(folder, "nowhere")], {
    start,
    complain: (text) => said.push(text),
  });
  expect(code).toBe(2);
  expect(said.join("")).toContain("did you mean `getMe`?");
  expect(said.join("")).toContain("clock.yaml:4:14: a clock advances by a duration");
  expect(said.join("")).toContain("nowhere: there is no such file or folder");
});

test("so does an unknown reporter", async () => {
  const said: string[] = [];
  const start = () => Promise.reject(new Error("nothing should start"));
  const code = await playCommand(["scenarios"], { reporter: "tab", start, complain: (text) => said.push(text) });
  expect([code, said.join("")]).toEqual([2, expect.stringContaining("did you mean `tap`?")]);
});
