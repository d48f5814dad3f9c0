// Damage to what is on disk, as a whole process meets it: half a line at the end is cut off and said, anything else is refused and left
// as it is. `test/engine/log/damage.test.ts` tries every place.
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { type OwnProcess, openNew, openOn, startOn } from "./own-process.ts";

const filesOf = ({ file }: OwnProcess) =>
  readdirSync(dirname(file), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"))
    .map(({ name }) => name)
    .map((name) => [name, readFileSync(join(dirname(file), name), "latin1")]);

/** Two bookings, and a process that was killed. */
async function killed(): Promise<{ served: OwnProcess; made: string[]; journal: string }> {
  const served = await openNew();
  const made = [(await served.book()).id, (await served.book()).id];
  await served.end("SIGKILL");
  return { served, made: made.sort(), journal: `${served.file}.log` };
}

it.concurrent("Half a line at the end is removed with a warning, and no confirmed change is lost", async () => {
  const { served, made, journal } = await killed();
  const line = readFileSync(journal, "utf8").trimEnd().split("\n").at(-1) ?? "";
  appendFileSync(journal, line.slice(0, line.length / 2));
  const again = await openOn(served.file);
  expect((await again.bookings()).sort()).toEqual(made);
  expect((await again.book()).status).toBe(201);
  const { code, stderr } = await again.end("SIGTERM");
  expect([code, stderr]).toEqual([0, expect.stringContaining("ended in half a line")]);
});

it.concurrent.each(["world.json", "world.json.log"])("A bit that flipped in %s is rejected", async (name) => {
  const { served } = await killed();
  const path = join(dirname(served.file), name);
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length / 3);
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  writeFileSync(path, bytes);
  const before = filesOf(served);
  const { code, stdout, stderr } = await startOn(served.file).ended;
  expect([code, JSON.parse(stdout)]).toEqual([1, { error: { code: "FAILED", message: stderr.trim() } }]);
  expect(stderr).toContain(path);
  expect(stderr).toContain("--fresh");
  expect(filesOf(served)).toEqual(before);
});
