// Every shipped scenario is recorded while it plays, and the recording plays at once.
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/index.ts";
import { startRecording } from "../../../src/stories/recording/recorder.ts";
import { formatRecording } from "../../../src/stories/recording/text.ts";
import { findScenarioFiles, type Loaded, load, play, validateScenarios } from "../../../src/stories/scenario/index.ts";
import { extent } from "../../extent.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const folder = makeTempFolder();
const { files } = findScenarioFiles(["scenarios"]);
const stories = files.map((file) => load(file).loaded as Loaded);
const start = (settings: object) => startSandbox({ clock: "2030-06-01T09:00:00Z", ...settings });

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await start({});
});
afterAll(() => sandbox.close());

/** Those with deliveries, keys, faults, time and options always; all of them when there is time. */
const EACH = extent(32, 5, 1);
const isTried = ({ file }: Loaded, index: number) =>
  index % EACH === 0 || /lost|given-up|key-is|month|race|long-hour/.test(file);

describe("the recording of a play plays twice:", () => {
  const written: string[] = [];
  test.for(stories.filter(isTried))("$scenario.title", async (story, { expect: own }) => {
    const { server, title } = story.scenario;
    const target = server ? await start(camel(server)) : sandbox;
    try {
      let text = "";
      const ending = async (world: string) => {
        const recorder = await startRecording(target, world, { since: "start" });
        text = formatRecording(recorder.finish(`Recorded: ${title}`));
      };
      await play(story, target, { ending });
      const file = join(folder, basename(story.file));
      writeFileSync(file, text);
      written.push(file);
      for (let times = 0; times < 2; times++)
        own(failuresOf(await play(load(file).loaded as Loaded, target)), text).toEqual([]);
    } finally {
      if (server) await target.close();
    }
  });

  test("each is valid", async () => {
    expect(written.length).toBeGreaterThan(7);
    expect((await validateScenarios(written, { start })).flat()).toEqual([]);
  });
});

function failuresOf({ trouble, steps }: Awaited<ReturnType<typeof play>>): unknown[] {
  const failed = steps.filter(({ passed }) => !passed);
  return [...(trouble ? [trouble] : []), ...failed.map(({ name, differences }) => ({ name, differences }))];
}

function camel(server: object): object {
  const names = Object.entries(server).map(([name, value]) => [
    name.replace(/_(\w)/g, (_, c) => c.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(names) as object;
}
