// A token is good until its instant on the world's clock, whichever way the clock came there, and whoever got another token meanwhile.
import { expect, it } from "vitest";
import { advance } from "../engine/operations/kit.ts";
import { shareSandbox } from "../sandbox.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });

it("A token that had expired is valid again when its world is rewound, even if another was issued since", async () => {
  const world = await sandbox.world();
  const token = await world.token();
  const answered = async () => {
    const { status, body } = await world.call("getMe", { token });
    return `${status} ${body.message?.split(";")[0]}`;
  };
  const [{ seq }] = (await world.control("get", "history?limit=1")).body.items;
  await world.control("put", "snapshots/before");
  const ways = [
    ["rewind", { to: String(seq) }],
    ["snapshots/before/restore", undefined],
    ["state/reset", undefined],
  ] as const;
  for (const [path, body] of ways)
    for (const others of [0, 3]) {
      await advance(world, "PT2H");
      for (let nth = 0; nth < others; nth++) await world.token();
      expect(await answered()).toBe("401 The bearer token expired at 2030-06-01T09:59:59.000Z");
      expect((await world.control("post", path, body)).status).toBe(200);
      expect([path, others, await answered()]).toEqual([path, others, "200 undefined"]);
    }
});

it("The latest 1,000 expired tokens are retained", async () => {
  const world = await sandbox.world();
  const size = () => sandbox.running.application.worlds.get(world.id)?.copy().tokens.size;
  for (let nth = 0; nth < 1010; nth++) await world.token();
  expect(size()).toBe(1010);
  await advance(world, "PT2H");
  await world.token();
  expect(size()).toBe(1000);
});
