// A token that a page asks for is no change of the world: opening /docs made itself the latest moment of the history.
import { expect, it } from "vitest";
import { shareSandbox } from "../sandbox.ts";

const sandbox = shareSandbox({ fixture: "empty" });

it("A token from the control API leaves no trace in history and log, and one of a program does in both", async () => {
  const world = await sandbox.world();
  const traces = async () => [
    (await world.control("get", "history")).body.items.length,
    (await world.control("get", "log")).body.items.length,
  ];
  const before = await traces();
  expect((await world.control("post", "token", {})).status).toBe(200);
  expect(await traces()).toEqual(before);
  expect((await world.call("getMe")).status).toBe(200);
  expect(await traces()).not.toEqual(before);
});
