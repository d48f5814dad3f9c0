// The log and why after a restart: what reads the log needs nothing but the lines of the data file.
import { cpSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { type Answered, findDefaultWorld, openSandbox, type TestSandbox } from "../../sandbox.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { ADULT, book, guest } from "../operations/kit.ts";

const folder = makeTempFolder();

const open = (data = join(folder, "world.json")) =>
  openSandbox({ fixture: "harbour-tours", clock: "2030-06-01T09:00:00.000Z", data });

const read = async ({ url }: TestSandbox, path: string): Promise<Answered["body"]> =>
  (await fetch(`${url}/_sandbox/${path}`)).json();

const idOf = ({ headers }: Answered): string => headers["sandbox-request-id"] ?? "";

it("show a rejected request as they did before", async () => {
  const first = await open();
  const rejected = await book(findDefaultWorld(first), "evt-sold-out", [ADULT]);
  const id = idOf(rejected);
  const logged = await read(first, `log/${id}`);
  const { refusal } = await read(first, `why/${id}`);
  expect([logged.status, refusal.smallest]).toMatchObject([rejected.status, { tried: true, works_now: true }]);
  const listed = (await read(first, "log?kinds=request,act,clock,delivery,world")).items.length;
  await first.close();

  const second = await open();
  expect(await read(second, `log/${id}`)).toEqual(logged);
  expect((await read(second, `why/${id}`)).refusal).toEqual(refusal);
  expect((await read(second, "log")).items.length).toBeGreaterThanOrEqual(listed);
  await second.close();
});

/** A copy of the data file as a kill right after a commit leaves it. */
function killAfterCommit(data: string, cause: string): string {
  const killed = join(folder, `${cause}.json`);
  for (const end of ["", ".log"]) cpSync(`${data}${end}`, `${killed}${end}`);
  const text = readFileSync(`${killed}.log`, "latin1");
  const commit = text.lastIndexOf(`"kind":"commit","effect":"change","id":"${cause}"`);
  expect(commit).toBeGreaterThan(0);
  truncateSync(`${killed}.log`, text.indexOf("\n", commit) + 1);
  return killed;
}

it("show a request whose process ended before it responded as unfinished", async () => {
  const data = join(folder, "killed.json");
  // The first snapshot of a new file would come between.
  await (await open(data)).close();
  const first = await open(data);
  const world = findDefaultWorld(first);
  const booked = await book(world, "evt-evening");
  const input = { event_id: "evt-evening", customer: guest, items: [ADULT], payments: [{ provider: "STRIPE" }] };
  const [id, actId] = [idOf(booked), idOf(await world.act("bookAsHost", input))];
  const [killedInRequest, killedInAct] = [id, actId].map((cause) => killAfterCommit(data, cause));
  await first.close();

  const second = await open(killedInRequest);
  const entry = await read(second, `log/${id}`);
  expect(entry).toMatchObject({
    kind: "request",
    method: "POST",
    path: "/v1/bookings",
    operation: "createBooking",
    status: null,
    unfinished: true,
    message: "The process ended before it recorded a response.",
  });
  expect(entry.facts).toContainEqual({ fact: "booking.created", id: booked.body.id });
  expect(entry.told[0].text).toBe("carried out, but the answer was lost");
  // The token request before it was completed.
  const { items } = await read(second, "log?kinds=request&view=summary");
  expect(items.map(({ unfinished }: { unfinished?: true }) => unfinished)).toEqual([undefined, true]);
  expect((await read(second, `why/${id}`)).title).toBe("createBooking no response");
  await second.close();
  const again = await open(killedInRequest);
  expect((await read(again, "log?kinds=request")).items).toHaveLength(2);
  await again.close();

  const third = await open(killedInAct);
  expect(await read(third, `log/${actId}`)).toMatchObject({
    kind: "act",
    act: "bookAsHost",
    status: "done",
    unfinished: true,
  });
  await third.close();
});

it("read a new data file without its log while the sandbox runs", async () => {
  const data = join(folder, "new.json");
  const first = await open(data);
  const { collections } = await read(first, "state");
  const alone = join(folder, "alone.json");
  await vi.waitFor(() => {
    cpSync(data, alone);
    const { worlds } = JSON.parse(readFileSync(alone, "utf8"));
    expect(Object.keys(worlds.default.bookings)).toHaveLength(collections.bookings.length);
  });
  await first.close();
  const second = await open(alone);
  expect((await read(second, "state")).collections.orders).toEqual(collections.orders);
  await second.close();
});
