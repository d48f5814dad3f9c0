// Whatever the sandbox can bring forth is whole: the end of every story, the fixtures as they start, and bulk data go out and come in
// again as they were.
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { populate } from "../../src/fixtures/populate.ts";
import { fixtureNames } from "../../src/fixtures/read.ts";
import { fixturesFolder } from "../../src/sandbox.ts";
import { filesAt, type Loaded, load, play } from "../../src/scenario/index.ts";
import type { Settings } from "../../src/settings.ts";
import type { World } from "../../src/world/world.ts";
import { openHouse, type TestHouse } from "../house.ts";

const stories = filesAt(["scenarios"]).files.map((file) => load(file).loaded as Loaded);

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ allowPublicWebhooks: true });
});
afterAll(() => house.close());

const collectionsOf = ({ sandbox }: TestHouse, world: World): string => {
  const text = [...sandbox.house.states.export(world)].join("");
  return JSON.stringify(JSON.parse(text).collections);
};

/** Imports what a world exports, over itself, and compares. */
function comesInAgain(where: TestHouse, world: World): void {
  const { states } = where.sandbox.house;
  const before = collectionsOf(where, world);
  const again = states.import(world, JSON.parse([...states.export(world)].join("")));
  expect(collectionsOf(where, again.world) === before).toBe(true);
}

/** A story removes its world at its end: what it had become by then. */
async function playedTo(end: (world: World) => void, story: Loaded, where: TestHouse): Promise<void> {
  const { states, controlToken } = where.sandbox.house;
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

describe("the end of a story comes in again", () => {
  // Each with SANDBOX_LONG, otherwise one in six.
  const told = stories.filter((_, index) => Boolean(process.env.SANDBOX_LONG) || index % 6 === 0);
  test.for(told)("$scenario.title", async (story) => {
    const { server } = story.scenario;
    const where = server ? await openHouse({ allowPublicWebhooks: true, ...camel(server) }) : house;
    const ends: string[] = [];
    await playedTo(
      (world) => {
        ends.push(world.id);
        comesInAgain(where, world);
      },
      story,
      where,
    ).finally(() => (server ? where.close() : undefined));
    expect(ends).toHaveLength(1);
  });
});

describe("a fixture as it starts comes in again", () => {
  const clocks = [undefined, "2030-06-01T09:00:00.000Z", "2031-02-28T23:59:59.999Z"];
  it.each(fixtureNames(fixturesFolder()).flatMap((name) => clocks.map((clock) => [name, clock] as const)))(
    "%s, at %s",
    async (fixture, clock) => {
      const where = await openHouse({ fixture, clock });
      comesInAgain(where, where.sandbox.house.worlds.get("default") as World);
      await where.close();
    },
  );
});

it("bulk data comes in again", async () => {
  const where = await openHouse();
  const world = where.sandbox.house.worlds.get("default") as World;
  populate(where.sandbox.house, world, { bookings: 1000 });
  comesInAgain(where, world);
  await where.close();
});
