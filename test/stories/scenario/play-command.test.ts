// What people and CI servers see of a story that fails, of one that passes, of one that needs another sandbox.
import { readFileSync, writeFileSync } from "node:fs";
import { request as send } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/index.ts";
import { type PlayOptions, playCommand } from "../../../src/stories/scenario/index.ts";
import { startLocalServer } from "../../local-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const folder = makeTempFolder();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z" });
});
afterAll(() => sandbox.close());

const good = write("good", "title: Fine\nsteps:\n  - { name: who, call: getMe, expect: { status: 200 } }\n");
const bad = write(
  "bad",
  `title: "Not <fine>"
steps:
  - { name: who, call: getMe, as: [openid], expect: { body: { company_name: Harbour Tours ApS } } }
  - { name: which, call: getBooking, with: { bookingId: nobody }, expect: { status: 200, body: { id: nobody } } }
  - { name: never, call: getMe }
`,
);

function write(name: string, text: string): string {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, text);
  return file;
}

async function played(files: string[], options: Partial<PlayOptions> = {}): Promise<{ code: number; text: string }> {
  const text: string[] = [];
  const start = (settings: object) => startSandbox({ clock: "2030-06-01T09:00:00Z", ...settings });
  const say = (words: string) => void text.push(words);
  const code = await playCommand(files, { url: sandbox.url, start, write: say, reportComplaint: say, ...options });
  return { code, text: text.join("").replaceAll(folder, "FOLDER") };
}

test("a failing scenario exits with 1 and shows path, expected and actual value, and the next command", async () => {
  const { code, text } = await played([bad]);
  expect(code).toBe(1);
  expect(text).toContain("✓ who");
  expect(text).toMatch(/✗ which.*\n {6}status\n {8}wanted {2}200\n {8}came {4}404/);
  expect(text).toContain("1 more step not played");
  expect(text).toContain(`sandbox play FOLDER/bad.yaml --url ${sandbox.url} --reporter json`);
  expect(text).toContain("sandbox logs");
  expect(text).toContain("1 failed");
});

test("the command to play again contains the unchanged file name", async () => {
  const odd = "a $(story) of `two`";
  const failing = write(odd, readFileSync(bad, "utf8"));
  const { text } = await played([failing], { url: undefined, env: ["API_KEY"] } as object);
  expect(text).toContain(`sandbox play 'FOLDER/${odd}.yaml' --env API_KEY --reporter json`);
});

test("no world remains after any outcome", async () => {
  await played([good, bad]);
  const { items } = (await (await fetch(`${sandbox.controlUrl}/worlds`)).json()) as { items: { id: string }[] };
  expect(items.map(({ id }) => id)).toEqual(["default"]);
});

test("every report has the file and line of a failed step, and why its request was rejected", async () => {
  for (const reporter of ["spec", "tap", "junit", "json"] as const) {
    const { text } = await played([bad], { reporter });
    expect(text, reporter).toContain("FOLDER/bad.yaml:4");
    expect(text, reporter).toContain("what to do: Use the id of another booking, one that this world has.");
    expect(text, reporter).not.toContain("sandbox why");
  }
});

test("the world of a failed scenario can be kept in a running sandbox, and the report shows a command for details", async () => {
  const commands: string[] = [];
  for (const reporter of ["spec", "tap", "junit", "json"] as const) {
    const { text } = await played([bad, good], { reporter, keepsFailed: true });
    const found = text.match(/sandbox why req-[\da-f]+-\d+ --world w-[\da-f]+ --url http:\/\/[\d.:]+/g) ?? [];
    expect([reporter, found.length]).toEqual([reporter, 1]);
    commands.push(...found);
  }
  const { items } = (await (await fetch(`${sandbox.controlUrl}/worlds`)).json()) as { items: { id: string }[] };
  const retained = commands.map((command) => command.split(" ")[4] ?? "");
  expect(items.map(({ id }) => id).sort()).toEqual(["default", ...retained].sort());
  for (const command of commands) {
    const [, , id, , world] = command.split(" ");
    const why = await fetch(`${sandbox.controlUrl}/why/${id}?world=${world}`);
    expect(((await why.json()) as { refusal: { rule: string } }).refusal.rule).toBe("NOT_FOUND");
    await fetch(`${sandbox.controlUrl}/worlds/${world}`, { method: "DELETE" });
  }
});

test.each(["spec", "tap", "junit", "json"] as const)(
  "the report shows a command for the retained world if the failed request got a response: %s",
  async (reporter) => {
    const steps = "[{ name: who, call: getMe, expect: { body: { company_name: Nobody } } }]";
    const { text } = await played([write("other", `title: Other\nsteps: ${steps}\n`)], { reporter, keepsFailed: true });
    const [command = "", world = ""] = /sandbox logs --world (w-[\da-f]+) --url http:\/\/[\d.:]+/.exec(text) ?? [];
    expect(text.split(command)).toHaveLength(2);
    expect((await fetch(`${sandbox.controlUrl}/worlds/${world}`, { method: "DELETE" })).status).toBe(204);
  },
);

test("bail stops at the first failure", async () => {
  expect((await played([bad, good], { bail: true })).text).not.toContain("Fine");
  expect((await played([bad, good])).text).toContain("Fine");
});

test("TAP reports where it bails out, and how much remains", async () => {
  const end = async (...files: string[]) =>
    (await played(files, { bail: true, reporter: "tap" })).text.split("\n").at(-2);
  expect(await end(bad, good)).toBe("Bail out! 1 scenario not played");
  expect(await end(good, bad)).toBe("not ok 2 - Not <fine>");
});

test("TAP: a test is a scenario, its steps are a subtest", async () => {
  const { text } = await played([good, bad], { reporter: "tap" });
  expect(text).toMatch(/^TAP version 14\n1\.\.2\n# Subtest: Fine\n {4}1\.\.1\n {4}ok 1 - who\nok 1 - Fine\n/);
  expect(text).toContain('    not ok 2 - which\n      ---\n      differences:\n        - path: "status"');
  expect(text).toContain("    ok 3 # SKIP not played\nnot ok 2 - Not <fine>\n");
});

test("JUnit: well-formed, with the failure", async () => {
  const { text } = await played([good, bad], { reporter: "junit" });
  expect(text).toContain('<testsuites name="sandbox play" tests="4" failures="1"');
  expect(text).toContain('<testsuite name="Not &lt;fine&gt;"');
  expect(text).toContain('<failure message="call getBooking: status: wanted 200, came 404">');
});

test("JSON: one document, also to a file", async () => {
  const output = join(folder, "report.json");
  const write = (report: string) => writeFileSync(output, report);
  const { code, text } = await played([bad], { json: true, output: { file: output, write } });
  expect([code, text]).toEqual([1, ""]);
  const document = JSON.parse(readFileSync(output, "utf8"));
  expect(document).toMatchObject({
    passed: false,
    counts: { failed: 1 },
    scenarios: [{ title: "Not <fine>", left: 1 }],
  });
});

test("a scenario that needs a separate sandbox gets one, or is skipped with --url", async () => {
  const file = write(
    "own",
    "title: Strict\nserver: { maturity: production }\nsteps:\n  - { name: no, call: listEvents, expect: { status: 404 } }\n",
  );
  const skipped = await played([file]);
  expect([skipped.code, skipped.text]).toEqual([
    0,
    expect.stringContaining("needs a sandbox of its own with maturity production"),
  ]);
  const { url: _, ...own } = { url: "" };
  const text: string[] = [];
  const start = (settings: object) => startSandbox({ clock: "2030-06-01T09:00:00Z", ...settings });
  expect(
    await playCommand([file], { ...own, start, write: (words) => void text.push(words), reportComplaint: () => {} }),
  ).toBe(0);
  expect(text.join("")).toContain("1 passed");
});

test("an unreachable sandbox exits with 1 and the address", async () => {
  const { code, text } = await played([good], { url: "http://127.0.0.1:9" });
  expect([code, text]).toEqual([1, expect.stringContaining("http://127.0.0.1:9")]);
});

test("a step without expectation requires a status below 400", async () => {
  const file = write(
    "careless",
    "title: Careless\nsteps:\n  - { name: which, call: getBooking, with: { bookingId: nobody } }\n",
  );
  const { code, text } = await played([file]);
  expect([code, text]).toEqual([1, expect.stringContaining("a status below 400")]);
});

test("a request that can't be sent is not reported as a broken connection", async () => {
  const step = `{ name: who, call: getMe, headers: { x-guest: "\${given.guest}" }, expect: { error: no } }`;
  const file = write("unsendable", `title: Unsendable\ngiven: { guest: "Søren €" }\nsteps:\n  - ${step}\n`);
  expect((await played([file])).text).toContain("nothing was sent: Invalid character in header content [");
});

test("repeat accepts the verb beside it, in it, or several steps", async () => {
  const file = write(
    "rounds",
    `title: Rounds
steps:
  - { name: beside, call: getMe, repeat: { times: 3 }, expect: { statuses: { "200": 3 } } }
  - { name: inside, repeat: { times: 2, parallel: true, call: getMe }, expect: { statuses: { "200": 2 }, answers: { $length: 2 } } }
  - name: steps
    repeat:
      times: 2
      steps:
        - { name: one, act: issueGiftCard, with: { id: "gft-\${round}", initial_value: 100 } }
        - { name: two, call: getGiftCard, with: { giftCardId: "\${one.result.id}" }, expect: { body: { id: "gft-\${round}" } } }
  - { name: later, call: getGiftCard, with: { giftCardId: "\${steps.answers[1].body.id}" }, expect: { body: { id: gft-2 } } }
`,
  );
  const { code, text } = await played([file]);
  expect([code, text]).toEqual([0, expect.stringContaining("1 passed")]);
});

test("a webhook step sees all messages of its scenario, including those after the expected one", async () => {
  const file = write(
    "many",
    `title: Many
steps:
  - { name: first, act: updateBooking, with: { booking_id: bkg-tea, internal_note: first } }
  - { name: many, repeat: { times: 1000, steps: [{ name: one, act: updateBooking, with: { booking_id: bkg-evening, internal_note: "note \${round}" } }] } }
  - { name: last, act: updateBooking, with: { booking_id: bkg-tea, internal_note: last } }
  - { name: both, webhook: v1.booking.updated, expect: { payload: { booking_id: bkg-tea }, times: 2 } }
  - { name: all, webhook: v1.booking.updated, expect: { times: 1002 } }
`,
  );
  expect(await played([file])).toEqual({ code: 0, text: expect.stringContaining("1 passed") });
}, 120_000);

test("a sandbox that allows no relay is reported with the reason", async () => {
  const front = await startLocalServer((request, response) => {
    if (request.url?.startsWith("/_sandbox/relay")) {
      response.writeHead(403, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ code: "ROLE_TOO_LOW", message: "It takes the role developer." }));
    }
    const { url, method, headers } = request;
    const passed = send(`${sandbox.url}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  const file = write("hears", "title: Hears\nsteps:\n  - { name: listens, receiver: {} }\n");
  const { code, text } = await played([file], { url: front.url });
  front.close();
  expect(code).toBe(1);
  expect(text).toContain("to receivers on this machine, so nothing was run: It takes the role developer.");
});
