// A process that is killed at any moment, also while it compacts, has lost no booking that it had answered, and what it keeps is whole.
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it, vi } from "vitest";
import { extent } from "../extent.ts";
import { crowd, type OwnProcess, openNew, openOn, removeFolderOf, startOn } from "./own-process.ts";

const ROUNDS = Number(process.env.SANDBOX_KILLS ?? extent(3, 20, 60));
const [PER_FILE, WRITERS] = [5, 3];

type State = Awaited<ReturnType<OwnProcess["state"]>>;

/** A booking is one unit with its order and its ticket. */
function areWhole({ bookings = [], orders = [], tickets = [] }: State): void {
  expect([orders.length, tickets.length]).toEqual([bookings.length, bookings.length]);
  const ticketed = new Set(tickets.map(({ booking_id }) => booking_id));
  expect(bookings.every(({ id }) => ticketed.has(id))).toBe(true);
}

/** One in three rounds is killed while a snapshot is written, if there is one in time; the others at any moment after some bookings. */
async function momentOf(round: number, file: string, booked: () => number): Promise<void> {
  await vi.waitFor(() => expect(booked()).toBeGreaterThan(8), { timeout: 60_000, interval: 2 });
  const waits = round % 3 === 1;
  const until = performance.now() + (waits ? 30_000 : (round * 67) % 200);
  while (performance.now() < until) {
    if (waits && isWritten(file)) return pause((round * 5) % 13);
    await pause(2);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const isWritten = (file: string) => readdirSync(dirname(file)).some((name) => name.endsWith(".tmp"));

/** Writes the whole of a world to the log for as long as it is answered: what was there is of no more use, so a compaction is soon due. */
async function rewritten({ control }: OwnProcess, go: () => boolean): Promise<void> {
  while (go()) await control("POST", "/state/reset?world=scratch").catch(() => pause(2));
}

/** Rounds on one file, so few that its snapshot stays small enough to be written often. */
async function killed(
  rounds: readonly number[],
  durability: string,
): Promise<{ answered: number; whileWriting: number }> {
  // So small that the log is compacted often.
  const around = { more: ["--durability", durability, "--log-bytes", "1000000"] };
  let served = await openNew(around);
  await served.control("POST", "/worlds", { id: "scratch", fixture: "harbour-tours" });
  const { file } = served;
  const answered: string[] = [];
  let whileWriting = 0;
  for (const round of rounds) {
    let [going, begun] = [true, 0];
    const booking = crowd(served, 8, () => ++begun > 0 && going);
    const rewriting = rewritten(served, () => going);
    await momentOf(round, file, () => begun - 8);
    await served.end("SIGKILL");
    going = false;
    if (isWritten(file)) whileWriting++;
    const [{ made, refused }] = await Promise.all([booking, rewriting]);
    expect(refused.filter(({ status }) => status !== 0)).toEqual([]);
    answered.push(...made);
    served = await openOn(file, around);
    const state = await served.state();
    const retained = new Set(state.bookings?.map(({ id }) => id));
    expect(answered.filter((id) => !retained.has(id))).toEqual([]);
    // Each client may have had one booking kept whose answer was lost.
    expect(retained.size).toBeLessThanOrEqual(answered.length + 8 * rounds.length);
    areWhole(state);
  }
  await served.end("SIGTERM");
  removeFolderOf(file);
  return { answered: answered.length, whileWriting };
}

it.concurrent(`${ROUNDS} kills at random points lose nothing`, { timeout: 600_000 }, async () => {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
  const waiting = Array.from({ length: Math.ceil(ROUNDS / PER_FILE) }, (_, at) => at);
  let [all, writing] = [0, 0];
  const writer = async () => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      const own = rounds.slice(at * PER_FILE, (at + 1) * PER_FILE);
      const { answered, whileWriting } = await killed(own, at % 2 === 0 ? "os" : "fsync");
      all += answered;
      writing += whileWriting;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  expect(all).toBeGreaterThan(ROUNDS * 5);
  // Of a few, each may fall between two writes.
  if (ROUNDS >= 20) expect(writing).toBeGreaterThan(ROUNDS / 20);
});

it.concurrent("A second process on a data file is rejected with the pid of the first, which continues", async () => {
  const first = await openNew();
  const { code, stdout, stderr } = await startOn(first.file).ended;
  expect([code, JSON.parse(stdout)]).toEqual([1, { error: { code: "FAILED", message: stderr.trim() } }]);
  expect(stderr).toContain(`is in use by process ${first.pid} (`);
  expect((await first.book()).status).toBe(201);
  expect((await first.end("SIGTERM")).code).toBe(0);
  const next = await openOn(first.file);
  expect(await next.bookings()).toHaveLength(1);
  await next.end("SIGKILL");
});

it.skipIf(process.platform !== "linux").concurrent(
  "A killed process whose exit code is not collected yet does not lock the data file",
  async () => {
    const first = await openNew({ unreaped: true });
    const stat = () => readFileSync(`/proc/${first.pid}/stat`, "utf8");
    expect((await first.book()).status).toBe(201);
    process.kill(first.pid, "SIGKILL");
    await vi.waitFor(() => expect(stat()).toContain(") Z "), { timeout: 30_000 });
    const next = await openOn(first.file);
    expect(await next.bookings()).toHaveLength(1);
    expect(stat()).toContain(") Z ");
    for (const each of [next, first]) await each.end("SIGKILL");
  },
);
