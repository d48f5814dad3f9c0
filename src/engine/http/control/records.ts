// Lists, shows and searches the records of a world as they are stored, and as the service returns them. Lists due work.
// Shows the past: commits, the versions of a record, and the difference between two points in time. Rewinds worlds.
import type { Schemas } from "../../../contract/schemas.ts";
import { runSliced } from "../../../platform/slices.ts";
import type { CausedChange, FoldedCommit, HistoryPort, RequestsPort } from "../../app/application.ts";
import { findTitle, showChange, showId, toChangeKind } from "../../app/differences.ts";
import { countRecords, findRecord, getDuePage, getRecordPage } from "../../app/records.ts";
import { DomainError } from "../../domain/kernel/domain-error.ts";
import { readInstant } from "../../domain/kernel/instant.ts";
import {
  type CollectionName,
  collectionNames,
  isInternal,
  recordKinds,
  type StoredRecord,
} from "../../domain/kernel/record-kinds.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { writeJsonPieces } from "../json-pieces.ts";
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
/** The number of the newest records of each collection that are searched, which takes a fraction of a second. */
const MAX_SEARCHED = 5000;

function findEntry(id: string, world: World, { log }: HistoryPort): FoundRecord[] {
  const entry = log.find(world.id, id);
  if (!entry) return [];
  return [{ id, title: [entry.operation ?? entry.kind, entry.status].filter(Boolean).join(" ") }];
}

const findRecords = (id: string, world: World, { read }: RequestsPort): FoundRecord[] =>
  collectionNames.flatMap((collection) => {
    const view = read(world, (tx) => findRecord(tx, collection, id));
    return view ? [showFound(collection, id, view.head)] : [];
  });

/** Yields after each collection, so that other requests get a turn. */
function* searchRecords(q: string, world: World, { read }: RequestsPort): Generator<void, FoundList> {
  const items: FoundRecord[] = [];
  const stopped: FoundList["stopped"] = [];
  for (const collection of SEARCHED) {
    const query = { q, limit: MAX_RESULTS, maxSearched: MAX_SEARCHED };
    const page = read(world, (tx) => getRecordPage(tx, collection, query));
    items.push(...page.items.map(({ id }) => showFound(collection, id, page.heads[id])));
    if (page.stopped && page.items.length < MAX_RESULTS) stopped.push({ collection, ...page.stopped });
    yield;
  }
  return { items, ...(stopped.length > 0 ? { stopped } : {}) };
}

const showFound = (collection: CollectionName, id: string, head: Schemas["RecordHead"] | undefined): FoundRecord => ({
  id,
  collection,
  title: head?.title || id,
  ...(head?.state ? { state: head.state } : {}),
  ...(head?.timezone ? { timezone: head.timezone } : {}),
});

/** Titles are looked up one by one, so a bulk change has none. */
const MAX_TITLED_CHANGES = 100;

function showCommit({ changes, ...commit }: FoldedCommit, tx: Transaction): object {
  const all = [...changes];
  const views = all.map((change) => ({
    collection: change.collection,
    id: showId(change),
    ...(all.length <= MAX_TITLED_CHANGES ? { title: findTitle(change, tx).title } : {}),
    change: toChangeKind(change),
  }));
  return { ...commit, changes: views };
}

const showDifference = (change: CausedChange, tx: Transaction): Schemas["RecordDiff"] => ({
  collection: change.collection,
  ...findTitle(change, tx),
  // A difference may be without a commit.
  cause: change.causes[0] ?? { kind: "world", id: "unknown" },
  causes: [...change.causes],
  internal: isInternal(change.collection),
  id: showId(change),
  ...showChange(change),
});

/** Yields differences lazily, because there may be thousands. */
function* showDifferences(changes: Iterable<CausedChange>, world: World, { read }: RequestsPort) {
  for (const change of changes) yield read(world, (tx) => showDifference(change, tx));
}

/** Finds the collection of a record that has no version in the history. */
function findCollection(id: string, world: World): string {
  const found = world.find(id)?.collection;
  // Tokens are secrets, so they are never shown.
  if (found && found !== "tokens") return found;
  const why = /^(req|act|clk)-/.test(id)
    ? `${id.slice(0, 60)} is not a record. Run \`sandbox why ${id.slice(0, 60)}\` to see it.`
    : `Neither world ${world.id} nor its kept history has a record ${id.slice(0, 60)}.`;
  throw new HttpError(404, why);
}

/** Requests for a dropped point are rejected with the retained ones. */
export const history = defineHandlers({
  async listCommits({ application: { history, read }, query, world }) {
    const commits = await history.list(world, query);
    const items = read(world, (tx) => commits.map((commit) => showCommit(commit, tx)));
    return ok({ items, kept: history.describeRetained(world) });
  },
  async getRecordHistory({ application: { history }, path, world }) {
    const versions = await history.listVersions(world, path.id);
    const visible = versions.filter(({ collection }) => collection !== "tokens");
    const items = visible.map(({ collection: _, before, after, ...version }) => ({
      ...version,
      ...showChange({ before, after }),
    }));
    const collection = visible[0]?.collection ?? findCollection(path.id, world);
    return ok({ id: path.id, collection, items, kept: history.describeRetained(world) });
  },
  async diffMoments({ application, query, world }) {
    const { history } = application;
    const [from, to] = [history.findNamedPoint(world, query.from), history.findNamedPoint(world, query.to ?? "now")];
    const changes = showDifferences(await history.diff(world, from, to), world, application);
    return { status: 200, pieces: writeJsonPieces({ from, to, changes }) };
  },
  async rewindWorld({ application, body, world }) {
    return ok(await application.states.rewind(world, application.history.findNamedPoint(world, String(body.to))));
  },
});
