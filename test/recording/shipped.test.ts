// Every shipped scenario is recorded while it plays, and the recording plays at once.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { startRecording } from "../../src/client/recorder.ts";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { textOf } from "../../src/recording/text.ts";
import { filesAt, type Loaded, load, play, validateScenarios } from "../../src/scenario/index.ts";

const folder = mkdtempSync(join(tmpdir(), "recorded-"));
const { files } = filesAt(["scenarios"]);
const stories = files.map((file) => load(file).loaded as Loaded);
const start = (settings: object) => startSandbox({ clock: "2030-06-01T09:00:00Z", ...settings });

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await start({});
});
afterAll(async () => {
  await sandbox.close();
  if (!process.env.KEEP) rmSync(folder, { recursive: true });
  else console.log(folder);
});

describe("recorded while it plays, the recording plays twice:", () => {
  test.for(stories.filter(({ file }) => !process.env.STORY || new RegExp(process.env.STORY).test(file)))(
    "$scenario.title",
    async (story, { expect }) => {
      const { server, title } = story.scenario;
      const target = server ? await start(camel(server)) : sandbox;
      try {
        let text = "";
        const ending = async (world: string) => {
          const recorder = await startRecording(target, world, { since: "start" });
          text = textOf(recorder.finish(`Recorded: ${title}`));
        };
        await play(story, target, { ending });
        const file = join(folder, basename(story.file));
        writeFileSync(file, text);
        expect((await validateScenarios([file], { start })).flat(), text).toEqual([]);
        for (let times = 0; times < 2; times++) {
          const { steps, trouble } = await play(load(file).loaded as Loaded, target);
          const failed = steps
            .filter(({ passed }) => !passed)
            .map(({ name, differences, journal }) => ({ name, differences, journal }));
          expect([...(trouble ? [trouble] : []), ...failed]).toEqual([]);
        }
      } finally {
        if (server) await target.close();
      }
    },
  );
});

function camel(server: object): object {
  const names = Object.entries(server).map(([name, value]) => [
    name.replace(/_(\w)/g, (_, c) => c.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(names) as object;
}
