// The stories in scenarios/: each is sound, each passes, and under one seed the same is said twice, byte for byte.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../src/index.ts";
import {
  createTranscript,
  findScenarioFiles,
  type Loaded,
  load,
  play,
  playCommand,
  validateScenarios,
} from "../src/stories/scenario/index.ts";

const { files } = findScenarioFiles(["scenarios"]);
const stories = files.map((file) => load(file).loaded as Loaded);
const start = (settings: object) => startSandbox({ clock: "2030-06-01T09:00:00Z", strictResponses: true, ...settings });

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await start({});
});
afterAll(() => sandbox.close());

describe.concurrent("the scenario", () => {
  test.for(stories)("$scenario.title", async (story, { expect: own }) => {
    const { server } = story.scenario;
    const target = server ? await start(camel(server)) : sandbox;
    const result = await play(story, target).finally(() => (server ? target.close() : undefined));
    own(failuresOf(result)).toEqual([]);
  });
});

function camel(server: object): object {
  const names = Object.entries(server).map(([name, value]) => [
    name.replace(/_(\w)/g, (_, c) => c.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(names) as object;
}

function failuresOf({ trouble, steps }: Awaited<ReturnType<typeof play>>): unknown[] {
  const failed = steps.filter(({ passed }) => !passed).map(({ name, differences }) => ({ name, differences }));
  return [...(trouble ? [trouble] : []), ...failed];
}

test("two plays with one seed have the same transcript, byte for byte", async () => {
  const plain = stories.filter(({ scenario }) => !scenario.server).map(({ file }) => file);
  const some = plain.filter((file) => /race|given-up|month|lost|comes-back/.test(file));
  const transcript = async (where: { url?: string }): Promise<string> => {
    const message: string[] = [];
    const write = (text: string) => void message.push(text);
    expect(await playCommand(some, { ...where, reporter: "json", start, write, reportComplaint: write })).toBe(0);
    return message.join("");
  };
  const here = await transcript({ url: sandbox.url });
  expect(await transcript({ url: sandbox.url })).toBe(here);
  expect(await transcript({})).toBe(here);
});

test("a transcript does not reveal its run", async () => {
  const story = stories.find(({ file }) => /private-guest/.test(file)) as Loaded;
  const text = JSON.stringify(createTranscript(await play(story, sandbox)));
  expect(text).not.toContain(new URL(sandbox.url).port);
  expect(text).not.toMatch(/req-[0-9a-f]|"w-[0-9a-f]|Bearer/);
  expect(text).toContain("{base_url}/files/{world}/");
});

describe("every file", () => {
  test("is valid", async () => {
    const problems = await validateScenarios(files, { start });
    expect(problems.flat()).toEqual([]);
    expect(problems).toHaveLength(files.length);
  });

  test("is one of at least thirty", () => expect(files.length).toBeGreaterThanOrEqual(30));

  test.each(files)("%s begins with its schema, and has descriptions", async (file) => {
    expect(readFileSync(file, "utf8")).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/spec\/scenario\.schema\.json\n/,
    );
    expect(basename(file)).toMatch(/^[a-z0-9]+(-[a-z0-9]+){2,}\.yaml$/);
    const { scenario } = stories.find((story) => story.file === file) as Loaded;
    expect(scenario.rules?.length).toBeGreaterThan(0);
    expect(scenario).toMatchObject({ fixture: expect.any(String), clock: expect.any(String), seed: expect.anything() });
  });
});
