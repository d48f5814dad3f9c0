// What a rewind undid says so when it is asked why, with the moment that brings it back; what came back later says it no more.
import { expect, it } from "vitest";
import { book } from "../engine/operations/kit.ts";
import { shareSandbox, type TestWorld } from "../sandbox.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });

const began = /^The history begins at /;
const AT = "2030-06-01T09:00:00.000Z";

it("A message, a booking and an event that a rewind restored show that rewind", async () => {
  const world: TestWorld = await sandbox.world();
  const why = async (id: string) => (await world.control("get", `why/${id}`)).body;
  const { seq } = (await world.control("get", "history")).body.kept.from;
  const booked = await book(world, "evt-evening");
  const request = booked.headers["sandbox-request-id"] ?? "";
  const [{ id: message }] = (await why(request)).messages;
  const { undo } = (await world.control("post", "rewind", { to: String(seq) })).body;
  const { items } = (await world.control("get", "history")).body;
  const went = `Rewind ${items.at(-1).seq} restored the world of ${AT}`;
  const undone = `${went}, before this record existed.`;
  const back = `\`sandbox rewind ${undo.to}\``;
  const reported = await why(message);
  expect(reported.notes).toEqual([
    `${undone} Receivers may already have it. ${back} restores the record.`,
    expect.stringMatching(began),
  ]);
  expect(reported.causes).toEqual([
    { kind: "world", id: "rewind", title: "rewind" },
    { kind: "request", id: request, title: "createBooking 201" },
  ]);
  expect((await why(booked.body.id)).notes).toEqual([
    `${undone} ${back} restores the record.`,
    expect.stringMatching(began),
  ]);
  expect((await why("evt-evening")).notes).toEqual([
    `${went}, including this record. ${back} undoes that.`,
    expect.stringMatching(began),
  ]);
  await world.control("post", "rewind", { to: String(undo.to) });
  expect((await why(message)).notes).toBeUndefined();
  expect((await why(booked.body.id)).entries).toEqual((await why(request)).entries);
});
