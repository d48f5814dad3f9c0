// A scenario with `each` runs once for each row, in every report; rows that do not belong together are refused with their place.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/index.ts";
import { type PlayOptions, playCommand, validateScenarios } from "../../../src/stories/scenario/index.ts";
import { parseCsvRows } from "../../../src/stories/scenario/rows.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const root = makeTempFolder();
const folder = join(root, "stories");
let sandbox: Sandbox;
beforeAll(async () => {
  mkdirSync(folder);
  sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z" });
});
afterAll(() => sandbox.close());
const start = async () => ({ url: sandbox.url, controlUrl: sandbox.controlUrl, close: async () => {} });
const ROW = "$" + "{row.";

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const STEPS = `steps:
  - { name: a key, act: createKey, with: { name: "${ROW}guest}", scopes: [openid] } }
  - { name: read, call: getEvent, with: { eventId: "${ROW}id}" }, expect: { status: "${ROW}status}" } }
`;
const ROWS = [
  { guest: "Anna", id: "evt-evening", status: 200 },
  { guest: "Bo", id: "evt-nowhere", status: 404 },
];
const story = (name: string, each: string, title = "A guest reads") =>
  write(`${name}.yaml`, `title: "${title}"\neach: ${each}\n${STEPS}`);

async function played(
  file: string,
  reporter: NonNullable<PlayOptions["reporter"]>,
): Promise<{ code: number; text: string }> {
  const text: string[] = [];
  const say = (words: string) => void text.push(words);
  const code = await playCommand([file], {
    url: sandbox.url,
    start,
    reporter,
    env: ["STORY_WORD"],
    write: say,
    reportComplaint: say,
  });
  return { code, text: text.join("") };
}

const problemsOf = async (file: string): Promise<string[]> => {
  const [problems = []] = await validateScenarios([file], { start });
  return problems.map((problem) => problem.replaceAll(folder, "FOLDER"));
};

test.each([
  ["in the story", () => JSON.stringify(ROWS)],
  ["in a file beside it", () => basename(write("guests.json", JSON.stringify(ROWS)))],
  [
    "in a table beside it",
    () => basename(write("guests.csv", "\ufeffguest,id,status\r\nAnna,evt-evening,200\r\nBo,evt-nowhere,404\r\n")),
  ],
])("rows %s: each is a run in every report, with its value in the title", async (_, each) => {
  const file = story("good", each(), `${ROW}guest} reads`);
  const spec = await played(file, "spec");
  expect(spec.text.split("\n").filter((line) => line.includes(" reads"))).toEqual([
    `Anna reads  ${file}`,
    `Bo reads  ${file}`,
  ]);
  expect([spec.code, spec.text]).toEqual([0, expect.stringContaining("2 passed")]);
  expect((await played(file, "tap")).text).toMatch(
    /^TAP version 14\n1\.\.2\n[\s\S]*\nok 1 - Anna reads\n[\s\S]*\nok 2 - Bo reads\n$/,
  );
  expect((await played(file, "junit")).text.match(/testsuite name="[^"]+"/g)).toEqual([
    'testsuite name="Anna reads"',
    'testsuite name="Bo reads"',
  ]);
  const { scenarios } = JSON.parse((await played(file, "json")).text) as { scenarios: { title: string }[] };
  expect(scenarios.map(({ title }) => title)).toEqual(["Anna reads", "Bo reads"]);
});

test("a title without a reference gets the number of the row and its first value, and a failing row fails alone", async () => {
  const file = story("plain", JSON.stringify([ROWS[0], { ...ROWS[1], status: 200 }]));
  const { code, text } = await played(file, "tap");
  expect(code).toBe(1);
  expect(text.match(/^(not )?ok .+$/gm)).toEqual([
    "ok 1 - A guest reads (row 1: Anna)",
    "not ok 2 - A guest reads (row 2: Bo)",
  ]);
});

test("a table cell is a JSON number, true, false or null, and otherwise text, as is anything in quotes", () => {
  const cells = [
    "7",
    "-0.5e3",
    "true",
    "null",
    '"7"',
    '"true"',
    "007",
    "+45",
    "1.",
    "yes",
    "",
    " 7",
    '"a ""b"",\r\nc"',
  ];
  const names = cells.map((_, index) => `c${index}`);
  const text = `${names.join(",")}\n\n${cells.join(",")}\n`;
  expect(parseCsvRows(text).rows.map((row) => Object.values(row))).toEqual([
    [7, -500, true, null, "7", "true", "007", "+45", "1.", "yes", "", " 7", 'a "b",\r\nc'],
  ]);
});

test.each([
  ["", "1: there is no row; the first one names the columns"],
  ["a;b\n1;2\n", "1: separate the cells by commas"],
  ["a,\n1,2\n", "1: a column has no name; the first row names all of them"],
  ["a,a\n1,2\n", "1: two columns are called `a`; give each a name of its own"],
  ['a,b\n"x\ny",1\n\n3\n', "5: the row has 1 cell, and the header 2; quote a cell that has a comma"],
  ["a,b\n1,2,3\n", "2: the row has 3 cells, and the header 2; quote a cell that has a comma"],
  ['a,b\n1,"2\n', "2: a quote is opened and not closed; a quote within a cell is written twice"],
  ['a,b\n1,"2"x\n', "2: text follows a closing quote; quote the whole cell, and write a quote within it twice"],
  ['a,b\n1,2"x"\n', "2: a quote stands within a cell; quote the whole cell, and write a quote within it twice"],
  ["a,b\n", " rows are a list of 1 to 1000 objects"],
])("a table of %j is rejected with its line", async (text, problem) => {
  write("bad.csv", text);
  expect(await problemsOf(story("bad", "bad.csv"))).toEqual([`FOLDER/bad.yaml:2:7: FOLDER/bad.csv:${problem}`]);
});

test("rejects with the position:", async () => {
  write("wrong.json", '[{ "id": "a" },\n  { "idd": "b" }]');
  write("broken.json", '[{ "id": ');
  writeFileSync(join(root, "outside.json"), "[]");
  symlinkSync(join(root, "outside.json"), join(folder, "link.json"));
  const many = JSON.stringify(Array.from({ length: 1001 }, () => ({ guest: 1, id: 1, status: 1 })));
  const at = "FOLDER/bad.yaml:2:7: ";
  const first = async (each: string, title?: string) => (await problemsOf(story("bad", each, title)))[0];
  expect(await first("[{ guest: a, id: b, status: 1 }, { guest: a, id: b }]")).toBe(
    "FOLDER/bad.yaml:2:40: the row has no `status`, which the first row has",
  );
  expect(await first(many)).toBe(`${at}rows are a list of 1 to 1000 objects`);
  writeFileSync(join(folder, "latin.csv"), Buffer.from("guest,id,status\nSøren,a,200\n", "latin1"));
  expect(await first("latin.csv")).toBe(`${at}\`latin.csv\` is not UTF-8, as line 2 shows. Save it as UTF-8.`);
  expect(await first("[]")).toBe(`${at}rows are a list of 1 to 1000 objects`);
  expect(await first("wrong.json")).toBe(`${at}FOLDER/wrong.json:2:3: the row has no \`id\`, which the first row has`);
  expect(await first("broken.json")).toContain(`${at}FOLDER/broken.json:1:`);
  expect(await first("none.json")).toContain(`${at}\`none.json\` can't be read`);
  for (const name of ["../outside.json", "link.json"])
    expect(await first(name)).toBe(`${at}\`${name}\` leads out of the folder of the scenario; put the rows into it`);
  expect(await first(JSON.stringify(ROWS), `${ROW}gest}`)).toBe(
    "FOLDER/bad.yaml:1:8: there is no column `gest`; did you mean `guest`?",
  );
  expect(await first("[{ guest: a, idd: b, status: 1 }]")).toContain("there is no column `id`; did you mean `idd`?");
  expect((await problemsOf(write("none.yaml", `title: None\n${STEPS}`)))[0]).toContain("is known only with `each`");
});

test("values of the head are resolved, including rows of the scenario, but a row of a file is sent unchanged", async () => {
  const ref = (path: string) => `\${${path}}`;
  process.env.STORY_WORD = "a word";
  const guest = `$${ref("x")} ${ref("env.STORY_WORD")}`;
  const written = (name: string, each: string, received: string) =>
    write(
      name,
      `title: A key
given: { price: "$${ref("price")}", both: "${ref("given.price")} of ${ref("row.guest")}", home: "${ref("world.id")}" }
each: ${each}
steps:
  - { name: a key, act: createKey, with: { name: "${ref("given.both")}", scopes: [openid] }, expect: { result: { name: '${received}' } } }
  - { name: not a reference, act: createKey, with: { name: "${ref("given.home")}", scopes: [openid] }, expect: { result: { name: { $match: "^[w]-" } } } }
`,
    );
  const own = written("own.yaml", JSON.stringify([{ guest }]), `$${ref("price")} of $${ref("x")} a word`);
  write("data.json", JSON.stringify([{ guest }]));
  const data = written("data.yaml", "data.json", `$${ref("price")} of $$${ref("x")} $${ref("env.STORY_WORD")}`);
  for (const file of [own, data]) {
    expect(await problemsOf(file)).toEqual([]);
    const { code, text } = await played(file, "spec");
    expect(code, text).toBe(0);
  }
});

test("an unknown reference in the head is rejected, or found where the world is created", async () => {
  const ref = (path: string) => `\${${path}}`;
  const refused = write(
    "refused.yaml",
    `title: A story
given: { a: "${ref("nosuch.body.id")}", b: "${ref("given.c")}", c: "${ref("given.a")}", d: "${ref("env.NOT_SET_HERE")}" }
each: [{ guest: "${ref("row.guest")}" }]
steps: [{ name: a key, call: getMe }]
`,
  );
  expect(await problemsOf(refused)).toEqual([
    `FOLDER/refused.yaml:2:13: there is no earlier step \`nosuch\`; there are env, world, given, receiver, round, row (in ${ref("nosuch.body.id")})`,
    "FOLDER/refused.yaml:2:37: there is no given value `c`; there are a",
    `FOLDER/refused.yaml:2:71: ${ref("env.NOT_SET_HERE")}: the environment has no NOT_SET_HERE`,
    `FOLDER/refused.yaml:3:17: ${ref("row.guest")} is known only with \`each\``,
  ]);
  const begun = write(
    "begun.yaml",
    `title: A story\ngiven: { a: "${ref("world.nosuch")}" }\nsteps: [{ name: who, call: getMe }]\n`,
  );
  const { code, text } = await played(begun, "spec");
  expect([code, text]).toEqual([1, expect.stringContaining("world has no nosuch")]);
});

test.each([
  ["an alias that nothing stands behind", "[ { a: *x } ]", "Unresolved alias"],
  [
    "a value that is nested too deep",
    `[ { "a": ${"[".repeat(200)}${"]".repeat(200)} } ]`,
    "nested more than 64 levels",
  ],
])("a file of rows with %s is rejected with its name, and the other files are read", async (_, rows, sentence) => {
  write("odd.json", rows);
  expect(await problemsOf(story("odd", "odd.json"))).toEqual([
    expect.stringMatching(new RegExp(`^FOLDER/odd.yaml:2:7: FOLDER/odd.json:1:1: .*${sentence}`)),
  ]);
});

test("a number of a table that can't be represented exactly remains text", async () => {
  write("long.csv", "id,much\n12345678901234567890,1e400\n");
  const steps = `steps:\n  - { name: read, call: getBooking, with: { bookingId: "${ROW}id}" }, expect: { status: 404 } }\n`;
  const file = write("long.yaml", `title: "${ROW}id} and ${ROW}much}"\neach: long.csv\n${steps}`);
  const { code, text } = await played(file, "json");
  const [scenario] = JSON.parse(text).scenarios;
  expect([code, scenario.title, scenario.steps[0].sent.path]).toEqual([
    0,
    "12345678901234567890 and 1e400",
    "/v1/bookings/12345678901234567890",
  ]);
});
