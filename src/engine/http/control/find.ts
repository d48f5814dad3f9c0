// Finds records and log entries by their id or by a text, for the search of the console.

import type { Schemas } from "../../../contract/schemas.ts";
import { runSliced } from "../../../platform/slices.ts";
import type { HistoryPort, RequestsPort, WorldsPort } from "../../app/application.ts";
import { findRecord, getRecordPage } from "../../app/records.ts";
import { type CollectionName, collectionNames } from "../../domain/kernel/record-kinds.ts";
import type { LogEntry } from "../../log/view.ts";
import type { World } from "../../world/state/world.ts";
import { defineHandlers, ok } from "./handler.ts";

type FoundRecord = Schemas["Found"];
type FoundList = Schemas["FoundList"];

/** The collections to search, and the number of results of each. */
const SEARCHED: readonly CollectionName[] = ["bookings", "orders", "events", "experiences", "giftCards", "consents"];
const MAX_RESULTS = 5;
/** The number of the newest records of each collection that are searched, because a user waits for the result. */
const MAX_SEARCHED = 20_000;
/** The number of records that are searched between turns for other requests. */
const SEARCHED_PER_TURN = 200;

export const find = defineHandlers<WorldsPort & HistoryPort & RequestsPort>()({
  async findAnything({ application, query, world }) {
    const q = query.q.trim();
    // An exact id needs no search.
    const called = [...findEntry(q, world, application), ...findRecords(q, world, application)];
    if (called.length > 0 || q === "") return ok({ items: called });
    return ok(await runSliced(searchRecords(q, world, application)));
  },
});

function findEntry(id: string, world: World, { log }: HistoryPort): FoundRecord[] {
  const entry = log.find(world.id, id);
  return entry ? [{ id, title: formatTitle(entry) }] : [];
}

const formatTitle = ({ kind, operation, status }: LogEntry): string =>
  [operation ?? kind, status].filter(Boolean).join(" ");

const findRecords = (id: string, world: World, { read }: RequestsPort): FoundRecord[] =>
  collectionNames.flatMap((collection) => {
    const view = read(world, (tx) => findRecord(tx, collection, id));
    return view ? [showFound(collection, id, view.head)] : [];
  });

function* searchRecords(q: string, world: World, { read }: RequestsPort): Generator<void, FoundList> {
  const found: FoundRecord[] = [];
  const stopped: FoundList["stopped"] = [];
  for (const collection of SEARCHED) {
    let [more, looked, cursor] = [MAX_RESULTS, 0, undefined as string | undefined];
    do {
      const query = { q, cursor, limit: more, maxSearched: SEARCHED_PER_TURN };
      const page = read(world, (tx) => getRecordPage(tx, collection, query));
      found.push(...page.items.map(({ id }) => showFound(collection, id, page.heads[id])));
      more -= page.items.length;
      looked += page.stopped?.looked_at ?? 0;
      cursor = page.next;
      if (page.stopped && more > 0 && looked >= MAX_SEARCHED)
        stopped.push({ collection, looked_at: looked, of: page.stopped.of });
      yield;
    } while (cursor !== undefined && more > 0 && looked < MAX_SEARCHED);
  }
  return { items: found, ...(stopped.length > 0 ? { stopped } : {}) };
}

const showFound = (collection: CollectionName, id: string, head: Schemas["RecordHead"] | undefined): FoundRecord => ({
  ...{ id, collection, title: head?.title || id },
  ...(head?.state ? { state: head.state } : {}),
  ...(head?.timezone ? { timezone: head.timezone } : {}),
});
