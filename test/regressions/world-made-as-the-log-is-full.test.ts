// The record of a new world could make a compaction due, which asked for the state at once: before the world was in it. The snapshot
// then replaced the log that had the world, and a kill lost it, although it had been acknowledged.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { crashed, held, removeFolders } from "../engine/world/store-kit.ts";
import { openSandbox } from "../sandbox.ts";

const folder = mkdtempSync(join(tmpdir(), "full-"));
const file = join(folder, "data.json");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterAll(removeFolders);

it("The world whose record makes a compaction due is in the snapshot", { timeout: 120_000 }, async () => {
  const sandbox = await openSandbox({ data: file, fixture: "harbour-tours" });
  let newest = await sandbox.world({ fixture: "harbour-tours" });
  // Of each that is removed nothing is needed any more, so that a compaction is soon due.
  while (!existsSync(`${file}.journal.2`)) {
    await newest.control("delete", `worlds/${newest.id}`);
    newest = await sandbox.world({ fixture: "harbour-tours" });
  }
  await vi.waitFor(() => expect(existsSync(`${file}.journal.1`)).toBe(false), { timeout: 60_000 });
  const { kept } = await held(crashed(folder));
  await sandbox.close();
  expect(kept?.map(([name]) => name)).toEqual(["default", newest.id]);
  expect(kept?.every(([, collections]) => collections.some(([name]) => name === "company"))).toBe(true);
});
