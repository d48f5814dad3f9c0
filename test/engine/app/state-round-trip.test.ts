// Whatever the sandbox can bring forth is whole: the end of every story, the fixtures as they start, and bulk data go out and come in
// again as they were.
import { describe, expect, it, test } from "vitest";
import { listFixtureNames } from "../../../src/engine/fixtures/read.ts";
import type { Settings } from "../../../src/engine/settings.ts";
import type { World } from "../../../src/engine/world/state/world.ts";
import { findFixtures } from "../../../src/sandbox.ts";
import { findScenarioFiles, type Loaded, load, play } from "../../../src/stories/scenario/index.ts";
import { extent } from "../../extent.ts";
import { openSandbox, shareSandbox, type TestSandbox } from "../../sandbox.ts";

const stories = findScenarioFiles(["scenarios"]).files.map((file) => load(file).loaded as Loaded);

const sandbox = shareSandbox({ allowPublicWebhooks: true });

const documentOf = ({ running: sandbox }: TestSandbox, world: World): string =>
  [...sandbox.application.states.export(world)].join("");

/** Imports what a world exported over the world default, and compares. */
async function comesInAgain(where: TestSandbox, text: string): Promise<void> {
  const { states, worlds } = where.running.application;
  const again = await states.import(worlds.get("default") as World, JSON.parse(text));
  const [before, after] = [text, documentOf(where, again?.world as World)].map((each) => {
    const { collections } = JSON.parse(each);
    // The world that it came into may have gone back more often.
    for (const counters of collections.counters ?? []) delete counters.went_back;
    return JSON.stringify(collections);
  });
  expect(after === before).toBe(true);
}

/** A story removes its world at its end: what it had become by then. */
async function playedTo(end: (world: World) => void, story: Loaded, where: TestSandbox): Promise<void> {
  const { states, controlToken } = where.running.application;
  const { remove } = states;
  states.remove = (world) => {
    end(world);
    remove(world);
  };
  const control = { controlUrl: `${where.url}/_sandbox`, controlToken };
  await play(story, { url: where.url, ...control }).finally(() => {
    states.remove = remove;
  });
}

const camel = (server: object): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(server).map(([name, value]) => [name.replace(/_(\w)/g, (_, c) => c.toUpperCase()), value]),
  );

describe("the final state of a scenario can be imported", () => {
  const each = extent(48, 7, 1);
  const reported = stories.filter((_, index) => index % each === 0);
  test.for(reported)("$scenario.title", async (story) => {
    const { server } = story.scenario;
    const where = server ? await openSandbox({ allowPublicWebhooks: true, ...camel(server) }) : sandbox;
    const ends: string[] = [];
    try {
      await playedTo((world) => ends.push(documentOf(where, world)), story, where);
      expect(ends).toHaveLength(1);
      for (const text of ends) await comesInAgain(where, text);
    } finally {
      if (server) await where.close();
    }
  });
});

describe("the initial state of a fixture can be imported", () => {
  const clocks = [undefined, "2030-06-01T09:00:00.000Z", "2031-02-28T23:59:59.999Z"];
  it.each(listFixtureNames(findFixtures()).flatMap((name) => clocks.map((clock) => [name, clock] as const)))(
    "%s, at %s",
    async (fixture, clock) => {
      const where = await openSandbox({ fixture, clock });
      await comesInAgain(where, documentOf(where, where.running.application.worlds.get("default") as World));
      await where.close();
    },
  );
});

it("bulk data can be imported", async () => {
  const where = await openSandbox();
  const world = where.running.application.worlds.get("default") as World;
  const { states, worlds } = where.running.application;
  await states.populate(world, { bookings: 300 });
  await comesInAgain(where, documentOf(where, worlds.get("default") as World));
  await where.close();
});
