// A process that is killed at a named step on its files, in either durability and with webhooks on: it starts again, nothing that was
// answered is lost or told to nobody, what was going on is there as a whole or not at all, and no file is left over. The same where the
// disk is full from that step on, until there is room again.
import { afterAll, expect, it, vi } from "vitest";
import { extent } from "../extent.ts";
import { endAll, type Gated, type How, type Json, type Meeting, openGated, WORKS } from "./steps-kit.ts";

/** At each step, half in each durability: by hand ten in each. */
const KILLS = Number(process.env.SANDBOX_KILLS ?? extent(1, 1, 20));
/** One of so many steps finds the disk full, with each durability; it is met in turn. */
const EACH_FULL = extent(4, 4, 1);
/** For what hangs: a kill takes half a second where nothing else runs. */
const LONGEST_MS = 600_000 + KILLS * 60_000;
const HOWS: readonly How[] = ["before", "half", "after"];

const KNOWN = /^(|\.lock|\.log)$/;

type Row = readonly [work: string, step: string, more?: Pick<Meeting, "having" | "skip">];
const STEPS: readonly Row[] = [
  ["compaction", "snapshot: open"],
  ["compaction", "snapshot: write"],
  ["compaction", "snapshot: sync"],
  ["compaction", "snapshot: rename"],
  ["compaction", "folder: sync"],
  ["compaction", "new log: open"],
  ["compaction", "new log: write"],
  ["compaction", "new log: sync"],
  ["compaction", "new log: rename"],
  ["compaction", "folder: sync", { skip: 1 }],
  ["booking", "entry: change"],
  ["delivery", "entry: change", { having: '"deliveries"', skip: 1 }],
  ["rewind", "entry: replace"],
  ["rewind", "entry: change", { having: '"rewind"' }],
  ["import", "entry: part"],
  ["import", "entry: replace"],
  ["populate", "entry: part"],
  ["populate", "entry: part", { skip: 1 }],
  ["populate", "entry: replace"],
  ["saving a snapshot", "entry: replace"],
  ["removal of a world", "entry: replace"],
  ["stop", "snapshot: rename"],
  ["stop", "log: sync"],
  ["start", "log: cut"],
];

const counts = new Map<string, { kills: number; lost: number; unheard: number; failed: number }>();
afterAll(endAll);
afterAll(() => {
  if (KILLS > 1) console.table(Object.fromEntries(counts));
});

/** The work goes on until the process is dead, which is then started again. */
async function killed(gated: Gated, [work, step, more]: Row, how: How): Promise<void> {
  const { prepare, act, check } = WORKS[work === "delivery" ? "booking" : work] as (typeof WORKS)[string];
  const count = counts.get(`${work}: ${step}`) ?? { kills: 0, lost: 0, unheard: 0, failed: 0 };
  counts.set(`${work}: ${step}`, count);
  await gated.book();
  const prepared: Json = await prepare?.(gated);
  gated.meet({ step, how, ...more });
  const isAnswered = await act(gated, prepared);
  await vi.waitFor(() => expect([work, step, how, gated.wasMet()]).toEqual([work, step, how, true]), {
    timeout: 60_000,
  });
  await gated.served.started.ended;
  count.kills++;
  gated.leave();
  await gated.restart().catch((error) => {
    count.failed++;
    throw error;
  });
  // A draft may be that of the next compaction, which begins at once where the log is long.
  await vi.waitFor(() => expect(gated.files().filter((name) => !KNOWN.test(name))).toEqual([]), { timeout: 30_000 });
  await check?.(gated, prepared, isAnswered);
  const { lost, unheard } = await gated.missing();
  count.lost += lost.length;
  count.unheard += unheard.length;
  expect([work, step, how, lost, unheard]).toEqual([work, step, how, [], []]);
}

/** Which kills belong to a durability: half of those of each step. */
const ownOf = (durability: "os" | "fsync"): { row: Row; how: How }[] =>
  Array.from({ length: KILLS }, (_, kill) =>
    STEPS.flatMap((row, at) => {
      const isOwn = (kill + at) % 2 === (durability === "os" ? 0 : 1);
      return isOwn ? [{ row, how: HOWS[(kill + at) % HOWS.length] as How }] : [];
    }),
  ).flat();

it.concurrent.each(["os", "fsync"] as const)(
  "Killed at each step with --durability %s",
  { timeout: LONGEST_MS },
  async (durability) => {
    const gated = await openGated(durability);
    for (const { row, how } of ownOf(durability)) await killed(gated, row, how);
    await gated.served.end("SIGTERM");
    expect(gated.files()).toEqual(["", ".log"]);
    await gated.restart();
    expect(await gated.missing()).toEqual({ lost: [], unheard: [] });
    await gated.end();
  },
);

/** After these nobody knows what is on the disk: nothing more is taken before the next start, and every answer says so. */
const UNSURE: string[] = ["log: sync"];
const FULL = STEPS.filter(([work, step]) => !/^st(op|art)$/.test(work) && step !== "folder: sync");

/** Where nothing can be written, whatever is answered says so; once there is room it goes on, or goes on after a start. */
async function filled(gated: Gated, [work, step, more]: Row): Promise<void> {
  const { prepare, act, check } = WORKS[work === "delivery" ? "booking" : work] as (typeof WORKS)[string];
  await gated.book();
  const prepared: Json = await prepare?.(gated);
  gated.meet({ step, how: "full", ...more });
  const isAnswered = await act(gated, prepared);
  await vi.waitFor(() => expect([work, step, gated.wasMet()]).toEqual([work, step, true]), { timeout: 60_000 });
  const { status, text } = await gated.book();
  expect([work, step, status, JSON.parse(text).message]).toEqual([
    work,
    step,
    503,
    expect.stringMatching(/the disk is full/),
  ]);
  gated.leave();
  const { status: later } = await gated.book();
  if (later !== 201) {
    expect([work, step, UNSURE.includes(step), later]).toEqual([work, step, true, 503]);
    await gated.served.end("SIGKILL");
    await gated.restart();
  }
  await check?.(gated, prepared, isAnswered);
  expect([work, step, await gated.missing()]).toEqual([work, step, { lost: [], unheard: [] }]);
}

it.concurrent.each(["os", "fsync"] as const)(
  "The disk is full from each step on, with --durability %s",
  {
    timeout: LONGEST_MS,
  },
  async (durability) => {
    const gated = await openGated(durability);
    for (const [at, row] of FULL.entries())
      if ((at + (durability === "os" ? 0 : EACH_FULL >> 1)) % EACH_FULL === 0) await filled(gated, row);
    await gated.served.end("SIGKILL");
    await gated.restart();
    expect(await gated.missing()).toEqual({ lost: [], unheard: [] });
    await gated.served.end("SIGTERM");
    expect(gated.files()).toEqual(["", ".log"]);
    await gated.end();
  },
);
