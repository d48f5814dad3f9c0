// Whatever happens to the disk: what was answered 201 is there, and what can't be kept is an answer that says so and has no effect.
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { bin, folder, startProgram } from "../cli/run-sandbox.ts";
import { CLOCK, crowd, newFile, openNew, openOn } from "./own-process.ts";

const isRoot = process.getuid?.() === 0;

/** Root may write anywhere: somebody else has to try. What leads to the folder of the tests must be open to them. */
function startedByAnybody(file: string) {
  const args = ["start", "--data", file, "--clock", CLOCK, "--port", "0", "--json"];
  if (!isRoot) return startProgram(process.execPath, [bin, ...args]);
  chmodSync(folder, 0o755);
  const as = ["--reuid=65534", "--regid=65534", "--clear-groups"];
  return startProgram("setpriv", [...as, process.execPath, bin, ...args]);
}

describe("A full disk", () => {
  it.concurrent("causes a 503 with the reason, stores no rejected change, and keeps every confirmed one", {
    timeout: 120_000,
  }, async () => {
    const full = await openNew({ limit: 256 });
    const readiness = async () => {
      const response = await fetch(`${full.url}/readyz`);
      return [response.status, (await response.json()) as { why?: string }] as const;
    };
    const log = () => readFileSync(`${full.file}.log`);
    expect(await readiness()).toEqual([200, { status: "ready" }]);
    const startsWith = (start: Buffer) => log().subarray(0, start.length).equals(start) && /\n$/.test(log().toString());
    // The first snapshot of a new file rewrites the log once.
    await expect
      .poll(async () => {
        const before = log();
        await readiness();
        return startsWith(before);
      })
      .toBe(true);
    const { made, refused } = await crowd(full, 4, () => true);
    const stored = log();
    expect(await readiness()).toEqual([
      503,
      { status: "unavailable", why: expect.stringMatching(/^Cannot write .*file grow/) },
    ]);
    expect(startsWith(stored)).toBe(true);
    expect(made.length).toBeGreaterThan(10);
    for (const { status, text } of refused) {
      expect(status).toBe(503);
      expect(JSON.parse(text)).toMatchObject({ message: expect.stringContaining("the change was not kept") });
    }
    expect((await full.bookings()).sort()).toEqual([...made].sort());
    await full.end("SIGKILL");
    const again = await openOn(full.file);
    expect((await again.bookings()).sort()).toEqual([...made].sort());
    expect((await again.book()).status).toBe(201);
    expect((await again.end("SIGTERM")).code).toBe(0);
  });

  it.concurrent("causes one sentence at SIGTERM, and keeps every confirmed change", async () => {
    const filling = await openNew();
    const made = [(await filling.book()).id];
    await filling.end("SIGTERM");
    rmSync(`${filling.file}.log`);
    // Room for what is there, and for a log, but not for what both make together.
    const limit = Math.ceil(statSync(filling.file).size / 1024) + 4;
    const full = await openOn(filling.file, { limit, metadata: { note: "x".repeat(500) } });
    for (let answer = await full.book(); answer.status === 201; answer = await full.book()) made.push(answer.id);
    const { code, stderr } = await full.end("SIGTERM");
    expect([code, stderr]).toEqual([1, expect.stringMatching(/\nCannot write [^\n]*, it is unchanged: [^\n]*\n$/)]);
    const again = await openOn(filling.file);
    expect((await again.bookings()).sort()).toEqual(made.sort());
    expect((await again.end("SIGTERM")).code).toBe(0);
  });
});

describe("A folder", () => {
  it.concurrent("that was deleted while in use causes a 503 for every write, and reads continue", async () => {
    const served = await openNew();
    expect((await served.book()).status).toBe(201);
    // Again if the first snapshot writes a file at the same time.
    await vi.waitFor(() => rmSync(dirname(served.file), { recursive: true }));
    const { status, text } = await served.book();
    expect([status, JSON.parse(text)]).toMatchObject([
      503,
      { message: expect.stringContaining("was removed while in use") },
    ]);
    expect((await fetch(`${served.url}/readyz`)).status).toBe(503);
    expect(await served.bookings()).toHaveLength(1);
    const { code, stderr, tenths } = await served.stop();
    expect([code, tenths < 20]).toEqual([1, true]);
    expect(stderr).toMatch(/^[^\n]* was removed while in use, [^\n]*\n$/);
    expect(stderr).not.toContain("Internal error");
    expect(existsSync(dirname(served.file))).toBe(false);
  });

  it.concurrent("that is read-only is rejected at the start in one sentence", async () => {
    const file = newFile();
    mkdirSync(dirname(file), { recursive: true });
    if (isRoot) chownSync(dirname(file), 0, 0);
    chmodSync(dirname(file), 0o555);
    const { code, stdout, stderr } = await startedByAnybody(file).ended;
    expect([code, JSON.parse(stdout)]).toEqual([1, { error: { code: "FAILED", message: stderr.trim() } }]);
    expect(stderr).toMatch(/^Cannot write .*this user has no right to; .*--data file\n$/);
    chmodSync(dirname(file), 0o755);
    expect(existsSync(join(dirname(file), "world.json"))).toBe(false);
  });

  it.concurrent("in which only the data file is read-only gets no additional file", async () => {
    const file = newFile();
    mkdirSync(dirname(file), { recursive: true });
    if (isRoot) chownSync(dirname(file), 65_534, 65_534);
    const first = startedByAnybody(file);
    await first.shows("client_id");
    first.child.kill("SIGTERM");
    await first.ended;
    const before = readdirSync(dirname(file));
    chmodSync(file, 0o444);
    const { code, stderr } = await startedByAnybody(file).ended;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Cannot write [^\n]*this user has no right to; [^\n]*\n$/),
    ]);
    expect(readdirSync(dirname(file))).toEqual(before);
  });
});
