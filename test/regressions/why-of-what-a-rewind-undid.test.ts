// Why of what a rewind undid says so: of a request or an act, of a move of the clock that was undone in part, and of a record each
// entry and message that is gone.
import { expect, it } from "vitest";
import { createStory, toTextLines } from "../../src/client/why-story.ts";
import { advance, book } from "../engine/operations/kit.ts";
import { shareSandbox, type TestWorld } from "../sandbox.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });

const AT = "2030-06-01T09:00:00.000Z";
const idOf = ({ headers }: { headers: Record<string, string> }) => headers["sandbox-request-id"] ?? "";

interface Undoable {
  id: string;
  undone_by?: number;
}
const undoneIn = (all: readonly Undoable[]) => all.map(({ undone_by }) => undone_by);

const byId = (all: readonly Undoable[]) => all.toSorted((a, b) => a.id.localeCompare(b.id));

const questions = (world: TestWorld) => {
  const got = async (path: string) => (await world.control("get", path)).body;
  return {
    got,
    why: (id: string) => got(`why/${id}`),
    rewind: async (to: number | string) => (await world.control("post", "rewind", { to: String(to) })).body,
    latest: async () => (await got("history?limit=1")).items[0],
  };
};

it("A request and an act show which rewind undid them, with their entries and messages, until they are restored", async () => {
  const world = await sandbox.world();
  const { why, rewind, latest } = questions(world);
  const body = { url: "http://127.0.0.1:9/hook", event_types: ["v1.booking.cancelled"], state: "ENABLED" };
  await world.call("createWebhookSubscription", { body });
  const from = await latest();
  const booked = await book(world, "evt-evening");
  const act = await world.act("cancelBooking", { booking_id: "bkg-evening" });
  const before = [await why(idOf(booked)), await why(idOf(act))];
  const { undo } = await rewind(from.seq);
  const { seq } = await latest();
  const sent = " Receivers may already have its webhooks.";
  for (const [index, id] of [idOf(booked), idOf(act)].entries()) {
    const reported = await why(id);
    expect(reported.notes).toEqual([
      `Rewind ${seq} restored the world of ${AT} and undid everything that this caused.${index === 1 ? sent : ""} \`sandbox rewind ${undo.to}\` restores them.`,
    ]);
    const undone = (each: Undoable) => ({ ...each, undone_by: seq });
    expect(reported.entries).toEqual(before[index].entries.map(undone));
    expect(byId(reported.messages)).toEqual(byId(before[index].messages.map(undone)));
    expect([reported.entries.length, reported.messages.length]).toEqual([1, 2]);
    const text = createStory(reported, { longest: 80 }).flatMap(({ lines }) =>
      lines.flatMap((line) => toTextLines(line)),
    );
    expect(text.filter((line) => line.includes(` undone by the rewind ${seq}`))).toHaveLength(3);
  }

  // What is done anew gets the same number, and a record has both.
  await world.act("cancelBooking", { booking_id: "bkg-evening" });
  const both = await why("bkg-evening");
  expect(undoneIn(both.entries).slice(-2)).toEqual([seq, undefined]);
  expect(undoneIn(both.messages).toSorted()).toEqual([seq, seq, undefined, undefined]);

  await rewind(undo.to);
  expect(await why(idOf(act))).toEqual(before[1]);
  // Undone once more, by another rewind.
  await rewind(from.seq);
  expect(undoneIn((await why(idOf(act))).entries)).toEqual([(await latest()).seq]);
});

it("A clock move that a rewind split shows it", async () => {
  const world = await sandbox.world();
  const { got, why, rewind, latest } = questions(world);
  await advance(world, "P3D");
  const { id } = (await got("log?kinds=clock")).items.at(-1);
  const { items } = await got(`history?caused_by=${id}`);
  const { undo } = await rewind(items[0].seq);
  const { seq, at } = await latest();
  const reported = await why(id);
  expect(reported.notes).toEqual([
    `Rewind ${seq} restored the world of ${at} and undid a part of what this caused. \`sandbox rewind ${undo.to}\` restores them.`,
  ]);
});

it("An act that created a key, which remains, shows nothing", async () => {
  const world = await sandbox.world();
  const { got, why, rewind } = questions(world);
  const { from } = (await got("history")).kept;
  const act = await world.act("createKey", { name: "till", scopes: ["booking.read"] });
  expect((await rewind(from.seq)).undone).toBe(1);
  expect((await why(idOf(act))).notes).toBeUndefined();
});
