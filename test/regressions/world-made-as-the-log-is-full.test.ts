// The record of a new world could make a compaction due, which asked for the state at once: before the world was in it. The snapshot
// then replaced the log that had the world, and a kill lost it, although it had been acknowledged.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { crashed, readFile } from "../engine/log/kit.ts";
import { openSandbox } from "../sandbox.ts";
import { makeTempFolder } from "../temp-folder.ts";

const folder = makeTempFolder();
const file = join(folder, "data.json");

it("The world whose record triggers a compaction is in the snapshot", { timeout: 120_000 }, async () => {
  const sandbox = await openSandbox({ data: file, fixture: "harbour-tours", logBytes: 1 << 20 });
  const began = readFileSync(file, "utf8").length;
  let newest = await sandbox.world({ fixture: "harbour-tours" });
  const isCompacted = () => readFileSync(file, "utf8").length > began;
  while (!isCompacted()) {
    await newest.control("delete", `worlds/${newest.id}`);
    newest = await sandbox.world({ fixture: "harbour-tours" });
  }
  const { worlds } = await readFile(crashed(folder));
  await sandbox.close();
  expect(worlds.map(([name]) => name)).toEqual(["default", newest.id]);
  expect(worlds.every(([, { company }]) => company.size === 1)).toBe(true);
});
