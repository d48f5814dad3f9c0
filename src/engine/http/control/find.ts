// Anything by its id, or by a text: one question for a box in which somebody types what they have.

import type { Schemas } from "../../../contract/schemas.ts";
import { inSlices } from "../../../platform/slices.ts";
import type { HistoryPort, LogEntry, WorldsPort } from "../../app/application.ts";
import { type CollectionName, collectionNames } from "../../domain/kernel/record-kinds.ts";
import type { World } from "../../world/state/world.ts";
import { handlersWith, ok } from "./handler.ts";

type FoundRecord = Schemas["Found"];

/** Where a text is looked for, and how many of each are answered. */
const SEARCHED: readonly CollectionName[] = ["bookings", "orders", "events", "experiences", "giftCards", "consents"];
const MOST_OF_EACH = 5;

export const find = handlersWith<WorldsPort & HistoryPort>()({
  async findAnything({ application, query, world }) {
    const q = query.q.trim();
    // An exact id answers at once, without a search.
    const called = [...entryCalled(q, world, application), ...recordsCalled(q, world, application)];
    if (called.length > 0 || q === "") return ok({ items: called });
    // In slices, since it may read thousands of records.
    return ok({ items: await inSlices(recordsWith(q, world, application)) });
  },
});

function entryCalled(id: string, world: World, { log }: HistoryPort): FoundRecord[] {
  const entry = log.find(world.id, id);
  return entry ? [{ id, title: titleOf(entry) }] : [];
}

const titleOf = ({ kind, operation, status }: LogEntry): string =>
  [operation ?? kind, status].filter(Boolean).join(" ");

const recordsCalled = (id: string, world: World, { records }: WorldsPort): FoundRecord[] =>
  collectionNames.flatMap((collection) => {
    const view = records.find(world, collection, id);
    return view ? [foundOf(collection, id, view.head)] : [];
  });

/** A step for each collection, since each is looked through. */
function* recordsWith(q: string, world: World, { records }: WorldsPort): Generator<void, FoundRecord[]> {
  const found: FoundRecord[] = [];
  for (const collection of SEARCHED) {
    const { items, heads } = records.page(world, collection, { q, limit: MOST_OF_EACH });
    found.push(...items.map(({ id }) => foundOf(collection, id, heads[id])));
    yield;
  }
  return found;
}

const foundOf = (collection: CollectionName, id: string, head: Schemas["RecordHead"] | undefined): FoundRecord => ({
  ...{ id, collection, title: head?.title || id },
  ...(head?.state ? { state: head.state } : {}),
  ...(head?.timezone ? { timezone: head.timezone } : {}),
});
