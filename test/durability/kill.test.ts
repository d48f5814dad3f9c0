// A process that is killed at any moment, also while it compacts, has lost no booking that it had answered, and what it keeps is whole.
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { crowd, type OwnProcess, openNew, openOn, removeFolderOf, startOn } from "./own-process.ts";

const ROUNDS = process.env.SANDBOX_LONG ? 100 : 2;

type State = Awaited<ReturnType<OwnProcess["state"]>>;

/** A booking is one unit with its order and its ticket. */
function areWhole({ bookings = [], orders = [], tickets = [] }: State): void {
  expect([orders.length, tickets.length]).toEqual([bookings.length, bookings.length]);
  const ticketed = new Set(tickets.map(({ booking_id }) => booking_id));
  expect(bookings.every(({ id }) => ticketed.has(id))).toBe(true);
}

/** One in three rounds is killed while a snapshot is written. */
async function momentOf(round: number, file: string, isOver: () => boolean): Promise<void> {
  const until = performance.now() + 150 + ((round * 67) % 200);
  const compacts = () => readdirSync(dirname(file)).some((name) => name.endsWith(".tmp"));
  while (performance.now() < until && !isOver()) {
    if (round % 3 === 1 && compacts()) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

it.concurrent(`${ROUNDS} kills at random moments lose nothing`, { timeout: 600_000 }, async () => {
  let served = await openNew();
  const { file } = served;
  const answered: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let going = true;
    const booking = crowd(served, 8, () => going);
    await momentOf(round, file, () => !going);
    await served.end("SIGKILL");
    going = false;
    const { made, refused } = await booking;
    expect(refused.filter(({ status }) => status !== 0)).toEqual([]);
    answered.push(...made);
    served = await openOn(file);
    const state = await served.state();
    const kept = new Set(state.bookings?.map(({ id }) => id));
    expect(answered.filter((id) => !kept.has(id))).toEqual([]);
    // Each client may have had one booking kept whose answer was lost.
    expect(kept.size).toBeLessThanOrEqual(answered.length + 8 * (round + 1));
    areWhole(state);
  }
  expect(answered.length).toBeGreaterThan(ROUNDS * 5);
  await served.end("SIGTERM");
  removeFolderOf(file);
});

it.concurrent("A data file has one process: the second is refused with the pid of the first, which goes on", async () => {
  const first = await openNew();
  const { code, stdout, stderr } = await startOn(first.file).ended;
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`is in use by process ${first.pid} (`);
  expect((await first.book()).status).toBe(201);
  expect((await first.end("SIGTERM")).code).toBe(0);
  const next = await openOn(first.file);
  expect(await next.bookings()).toHaveLength(1);
  await next.end("SIGKILL");
});
