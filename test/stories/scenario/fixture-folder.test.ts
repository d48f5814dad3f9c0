// A scenario may begin with a folder beside it: found from its file, checked before anything plays, and the same in a running sandbox.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ownFolders, startOwnSandbox } from "../../../src/cli/own-sandbox.ts";
import { startSandbox } from "../../../src/index.ts";
import { playCommand, validateScenarios } from "../../../src/stories/scenario/index.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const folder = makeTempFolder();
const company = join(folder, "my-company");
beforeAll(() => {
  cpSync("docs/starter/my-company", company, { recursive: true });
  mkdirSync(join(folder, "scenarios"));
});

function story(name: string, head: string): string {
  const file = join(folder, head.includes("..") ? "scenarios" : "", `${name}.yaml`);
  writeFileSync(
    file,
    `title: Tonight\n${head}\nsteps:\n  - { name: tonight, call: getEvent, with: { eventId: evt-tonight } }\n`,
  );
  return file;
}

async function play(file: string, url?: string): Promise<{ code: number; text: string }> {
  const text: string[] = [];
  const say = (words: string) => void text.push(words);
  const where = url === undefined ? {} : { url };
  const code = await playCommand([file], {
    ...where,
    start: startOwnSandbox,
    folders: ownFolders,
    write: say,
    reportComplaint: say,
  });
  return { code, text: text.join("").replaceAll(folder, "FOLDER") };
}

const check = async (file: string): Promise<string[]> => {
  const [problems = []] = await validateScenarios([file], { start: startOwnSandbox, folders: ownFolders });
  return problems.map((problem) => problem.replaceAll(folder, "FOLDER"));
};

test("it plays in a separate sandbox with that folder, alone or with other options", async () => {
  expect(await play(story("mine", "fixture: ../my-company"))).toMatchObject({ code: 0 });
  expect(await play(story("strict", "fixture: ../my-company\nserver: { retry: fast }"))).toMatchObject({ code: 0 });
});

test("it plays in a running sandbox that was started with the same files, whatever the folder's name", async () => {
  const copy = join(folder, "a copy");
  cpSync(company, copy, { recursive: true });
  const sandbox = await startSandbox({ fixture: copy });
  try {
    const played = await play(story("there", "fixture: ../my-company"), sandbox.url);
    expect([played.code, played.text]).toEqual([0, expect.stringContaining("1 passed")]);
    const worlds = (await (await fetch(`${sandbox.url}/_sandbox/worlds`)).json()) as { items: unknown[] };
    expect(worlds.items).toHaveLength(1);
  } finally {
    await sandbox.close();
  }
});

test("otherwise it is skipped there, and that is reported", async () => {
  const sandbox = await startSandbox({ fixture: "empty" });
  try {
    const { code, text } = await play(story("elsewhere", "fixture: ../my-company"), sandbox.url);
    expect(code).toBe(0);
    expect(text).toMatch(/it needs a sandbox of its own with --fixture \S*my-company; play it without --url/);
    expect(text).toContain("1 skipped");
  } finally {
    await sandbox.close();
  }
});

test("a missing folder and a name that is meant as a folder are reported", async () => {
  expect(await check(story("lost", "fixture: ../my-compny"))).toEqual([
    "FOLDER/scenarios/lost.yaml:2:10: the fixture has a fault: FOLDER/my-compny: there is no such folder. Give the name of a fixture, or the folder that holds its world.json.",
  ]);
  expect(await check(story("named", "fixture: my-company"))).toEqual([
    "FOLDER/named.yaml:2:10: there is no fixture `my-company`; there are empty, harbour-tours; the folder beside this file is `./my-company`",
  ]);
});

test("an error in the fixture is one problem of the scenario, with both positions, and nothing plays", async () => {
  const broken = join(folder, "broken");
  cpSync(company, broken, { recursive: true });
  const events = readFileSync(join(broken, "events.json"), "utf8").replaceAll('"exp-throwing"', '"exp-throwin"');
  writeFileSync(join(broken, "events.json"), events);
  const { code, text } = await play(story("unsound", "fixture: ../broken"));
  expect(code).toBe(2);
  expect(text).toMatch(
    /^FOLDER\/scenarios\/unsound\.yaml:2:10: the fixture has a fault: FOLDER\/broken\/events\.json:6: events\.0\.experience_id: .*exp-throwin.* \(and 2 more: sandbox validate \S*broken\)\nNothing was played\.\n$/,
  );
});
