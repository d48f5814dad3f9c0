// Lists, shows and searches the records of a world as they are stored, and as the service returns them. Lists due work.
import type { Schemas } from "../../../contract/schemas.ts";
import { runSliced } from "../../../platform/slices.ts";
import type { HistoryPort, RequestsPort } from "../../app/application.ts";
import { countRecords, findRecord, getDuePage, getRecordPage } from "../../app/records.ts";
import { DomainError } from "../../domain/kernel/domain-error.ts";
import { readInstant } from "../../domain/kernel/instant.ts";
import {
  type CollectionName,
  collectionNames,
  recordKinds,
  type StoredRecord,
} from "../../domain/kernel/record-kinds.ts";
import type { LogEntry } from "../../log/view.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { cutToSeconds } from "../run-operation.ts";
import { listActViews } from "./acts.ts";
import { defineHandlers, ok } from "./handler.ts";

type AnsweredRecordView = Schemas["RecordShown"];

/** Finds the record in the response of an operation; undefined if no operation returns it, such as a deleted event. */
function findAnswer(
  world: World,
  name: CollectionName,
  record: StoredRecord,
  application: RequestsPort,
): AnsweredRecordView["answer"] {
  const [id, parameter = "", member = "id"] = recordKinds[name].answered ?? [];
  if (id === undefined) return undefined;
  const operation = application.operations.get(id);
  if (!operation) throw new Error(`${id} is not served`);
  const requested = { path: { [parameter]: record[member] }, query: {}, headers: {}, body: undefined };
  try {
    const { body } = application.read(world, (tx) => {
      const view = operation.answer(tx, requested as never);
      return tx.assumes("timestamps") === "second" ? cutToSeconds(view) : view;
    });
    const { items } = body as { items?: StoredRecord[] };
    // Some records are only returned within a list.
    const found = items ? items.find((item) => item.id === record.id) : (body as StoredRecord);
    return found && { operation: id, body: found };
  } catch (reason) {
    if (reason instanceof DomainError && reason.status === 404) return undefined;
    throw reason;
  }
}

/** Lists the acts that the state of the record allows, with the field that names the record filled in. */
function listPossibleActs(
  world: World,
  { collection, record }: Pick<AnsweredRecordView, "collection" | "record">,
  { acts }: RequestsPort,
): AnsweredRecordView["acts"] {
  const names = recordKinds[collection].namedBy ?? [];
  return listActViews().flatMap(({ act, summary, input: { required = [] } }) => {
    // The first required field of an act names its record.
    const [member = ""] = required;
    const input = { [member]: record.id };
    return names.includes(member) && acts.isAllowed(world, act, input, record) ? [{ act, summary, input }] : [];
  });
}

export const records = defineHandlers({
  listCollections: ({ application, world }) => ok({ items: application.read(world, countRecords) }),
  listRecords({ application, path, query, world }) {
    const { q, where, cursor, limit = 100 } = query;
    return ok(application.read(world, (tx) => getRecordPage(tx, path.collection, { q, where, cursor, limit })));
  },
  getRecord({ application, path, world }) {
    const { collection, id } = path;
    const view = application.read(world, (tx) => findRecord(tx, collection, id));
    if (!view) {
      throw new HttpError(404, `World ${world.id} has no record ${id.slice(0, 100)} in ${collection}.`, {
        list: "GET /_sandbox/records/{collection}",
      });
    }
    const answer = findAnswer(world, collection, view.record, application);
    return ok({ ...view, ...(answer ? { answer } : {}), acts: listPossibleActs(world, view, application) });
  },
  listDue({ application, query, world }) {
    const { cursor, limit = 100 } = query;
    // Instants are compared as text, so they must be normalized.
    const until = query.until === undefined ? undefined : (readInstant(query.until) ?? query.until);
    return ok(application.read(world, (tx) => getDuePage(tx, { until, cursor, limit })));
  },
  async findAnything({ application, query, world }) {
    const q = query.q.trim();
    // An exact id needs no search.
    const called = [...findEntry(q, world, application), ...findRecords(q, world, application)];
    if (called.length > 0 || q === "") return ok({ items: called });
    return ok(await runSliced(searchRecords(q, world, application)));
  },
});

type FoundRecord = Schemas["Found"];
type FoundList = Schemas["FoundList"];

/** The collections to search, and the number of results of each. */
const SEARCHED: readonly CollectionName[] = ["bookings", "orders", "events", "experiences", "giftCards", "consents"];
const MAX_RESULTS = 5;
/** The number of the newest records of each collection that are searched, because a user waits for the result. */
const MAX_SEARCHED = 20_000;
/** The number of records that are searched between turns for other requests. */
const SEARCHED_PER_TURN = 200;

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
  id,
  collection,
  title: head?.title || id,
  ...(head?.state ? { state: head.state } : {}),
  ...(head?.timezone ? { timezone: head.timezone } : {}),
});
