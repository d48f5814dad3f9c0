// A disk that is really full, also while a snapshot is written: refused writes have no effect, answered ones are kept, and when there
// is room again it goes on as if nothing had been. Needs a small disk of its own, which only root can have.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { folder } from "../cli/run-sandbox.ts";
import { crowd, openNew, openOn } from "../durability/own-process.ts";

const disk = join(folder, `disk-${process.pid}`);
const hasDisk = mounted();

function mounted(): boolean {
  mkdirSync(disk, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=40m", "tmpfs", disk], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

afterAll(() => hasDisk && execFileSync("umount", ["-l", disk]));

it.runIf(hasDisk)("A full disk loses no confirmed change", { timeout: 600_000 }, async () => {
  const ballast = join(disk, "ballast");
  // Once it is gone there is room for a snapshot beside the journal; with less, the attempt to write one may fill the disk again.
  writeFileSync(ballast, Buffer.alloc(28 << 20));
  const served = await openNew({ file: join(disk, "world.json") });
  const { made, refused } = await crowd(served, 4, () => true);
  expect(made.length).toBeGreaterThan(1000);
  for (const { status, text } of refused)
    expect([status, text]).toMatchObject([503, expect.stringContaining("disk is full")]);
  expect((await served.bookings()).length).toBe(made.length);

  const readiness = async () => (await fetch(`${served.url}/readyz`)).status;
  expect(await readiness()).toBe(503);
  rmSync(ballast);
  expect(await readiness()).toBe(200);
  for (let more = 0; more < 50; more++) {
    const { status, id } = await served.book();
    expect(status).toBe(201);
    made.push(id);
  }
  await served.end("SIGKILL");
  const again = await openOn(served.file);
  expect((await again.bookings()).sort()).toEqual([...made].sort());
  await again.end("SIGKILL");
});
