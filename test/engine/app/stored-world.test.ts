// A start on a saved world: no --clock moves it, and its age is told.
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../../src/engine/settings.ts";
import { makeSandbox } from "../../../src/sandbox.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const BEGUN = "2030-06-01T09:00:00.000Z";
let data: string;

beforeEach(() => {
  data = join(makeTempFolder(), "world.json");
});

/** One start after the other, each on the world that the last one has left. */
const MODES: [clock: string | undefined, mode: string][] = [
  ["now", "running"],
  [undefined, "running"],
  ["anchor", "held"],
  [undefined, "held"],
  ["now", "running"],
  [BEGUN, "held"],
];

/** Where the clock stands at a start, and what the start warns of; then time goes on. */
async function begun(options: SandboxOptions, days = 0) {
  const sandbox = await makeSandbox({ data, fixture: "empty", ...options });
  const { application, warnings } = sandbox;
  const world = application.worlds.get("default");
  if (!world) throw new Error("there is no world default");
  const [now, { mode }] = [application.now(world), application.clock.show(world)];
  if (days > 0)
    await application.clock.set(world, { to: (at) => new Date(Date.parse(at) + days * 86_400_000).toISOString() });
  await sandbox.close();
  return { now, mode, warnings };
}

describe("A saved world continues", () => {
  it("at its last instant without --clock, with its own beginning, or with its own current time", async () => {
    await begun({ clock: BEGUN }, 0.5);
    const now = "2030-06-01T21:00:00.000Z";
    for (const clock of [undefined, BEGUN, "2030-06-01T11:00:00+02:00", now, "anchor"])
      expect([clock, await begun({ clock })]).toEqual([clock, { now, mode: "held", warnings: [] }]);
  });

  it("with a running clock after --clock now, with a held clock after any other, and otherwise as before", async () => {
    await begun({ clock: BEGUN });
    for (const [clock, mode] of MODES) expect([clock, (await begun({ clock })).mode]).toEqual([clock, mode]);
    // Held where it had run to, and nothing goes back.
    expect((await begun({})).now > BEGUN).toBe(true);
  });

  it("unchanged by a later --clock, and not moved back by an earlier one", async () => {
    await begun({ clock: BEGUN });
    await expect(begun({ clock: "2030-07-01T00:00:00Z" })).rejects.toThrow(
      `\`clock\` 2030-07-01T00:00:00.000Z is after ${BEGUN}, the clock of the saved world. Omit \`clock\` and move the clock with \`sandbox clock set 2030-07-01T00:00:00.000Z\`, or replace the saved world with \`fresh\`.`,
    );
    await expect(begun({ clock: "2030-05-01T00:00:00Z" })).rejects.toThrow("is before");
    expect(await begun({})).toMatchObject({ now: BEGUN });
    expect(await begun({ clock: "2030-07-01T00:00:00Z", fresh: true })).toMatchObject({
      now: "2030-07-01T00:00:00.000Z",
    });
  });

  it("and reports its age if it is older than a day", async () => {
    await begun({ clock: BEGUN }, 1);
    const says = (age: string) =>
      `The saved world began ${age} ago on its clock, at ${BEGUN}, and its events have moved into the past. \`sandbox world reset\` or \`fresh\` starts again.`;
    expect((await begun({}, 2)).warnings).toEqual([says("a day")]);
    expect((await begun({})).warnings).toEqual([says("3 days")]);
  });
});

it("A world begins at an instant, at its fixture's anchor, or runs with real time", async () => {
  expect(await begun({ clock: "anchor", fresh: true, fixture: "harbour-tours" })).toMatchObject({
    now: BEGUN,
    mode: "held",
  });
  for (const clock of ["now", undefined])
    expect(await begun({ clock, fresh: true })).toMatchObject({ mode: "running" });
});
