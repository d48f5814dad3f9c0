// The past of a world: its commits, the versions of a record, the difference between two moments, and the way back.
import type { Schemas } from "../../../contract/schemas.ts";
import type { CausedChange, FoldedCommit, HistoryPort, RequestsPort, WorldsPort } from "../../app/application.ts";
import { isInternal } from "../../domain/kernel/record-kinds.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import type { Cause } from "../../world/state/commit.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { jsonPieces } from "../json-pieces.ts";
import { handlersWith, ok } from "./handler.ts";

/** Titles are looked up one by one, so a bulk change has none. */
const MAX_TITLED_CHANGES = 100;

function commitView({ changes, ...commit }: FoldedCommit, tx: Transaction, { history }: HistoryPort): object {
  const all = [...changes];
  const views = all.map((change) => ({
    collection: change.collection,
    id: history.displayId(change),
    ...(all.length <= MAX_TITLED_CHANGES ? { title: history.titleOf(change, tx).title } : {}),
    change: history.changeOf(change),
  }));
  return { ...commit, changes: views };
}

type Difference = Schemas["RecordDiff"];

/** Of a record that differs without a commit that changed it. */
const UNKNOWN: Cause = { kind: "world", id: "unknown" };

const differenceView = (change: CausedChange, tx: Transaction, { history }: HistoryPort): Difference => ({
  collection: change.collection,
  ...history.titleOf(change, tx),
  cause: change.causes[0] ?? UNKNOWN,
  causes: [...change.causes],
  internal: isInternal(change.collection),
  id: history.displayId(change),
  change: history.changeOf(change),
  members: history.membersOf(change),
});

/** Two moments may be thousands of records apart. */
function* differences(changes: Iterable<CausedChange>, world: World, application: RequestsPort & HistoryPort) {
  for (const change of changes) yield application.read(world, (tx) => differenceView(change, tx, application));
}

/** The collection of a record that has no version in the history. */
function collectionOf(id: string, world: World): string {
  const found = world.find(id)?.collection;
  // Tokens are secrets, and never shown.
  if (found && found !== "tokens") return found;
  const why = /^(req|act|clk)-/.test(id)
    ? `${id.slice(0, 60)} is no record. \`sandbox why ${id.slice(0, 60)}\` tells of it.`
    : `Neither world ${world.id} nor its kept history has a record ${id.slice(0, 60)}.`;
  throw new HttpError(404, why);
}

/** What is not kept any more is refused with what is. */
export const history = handlersWith<HistoryPort & WorldsPort & RequestsPort>()({
  listCommits({ application, query, world }) {
    const commits = application.history.list(world, query);
    const items = application.read(world, (tx) => commits.map((commit) => commitView(commit, tx, application)));
    return ok({ items, kept: application.history.retained(world) });
  },
  getRecordHistory({ application, path, world }) {
    const { history } = application;
    const versions = history.of(world, path.id).filter(({ collection }) => collection !== "tokens");
    const items = versions.map(({ seq, at, wall_at, cause, ...version }) => ({
      ...{ seq, at, wall_at, cause },
      change: history.changeOf(version),
      members: history.membersOf(version),
    }));
    const collection = versions[0]?.collection ?? collectionOf(path.id, world);
    return ok({ id: path.id, collection, items, kept: history.retained(world) });
  },
  async diffMoments({ application, query, world }) {
    const { history } = application;
    const [from, to] = [history.moment(world, query.from), history.moment(world, query.to ?? "now")];
    const changes = differences(await history.diff(world, from, to), world, application);
    return { status: 200, pieces: jsonPieces({ from, to, changes }) };
  },
  async rewindWorld({ application, body, world }) {
    return ok(await application.states.rewind(world, application.history.moment(world, String(body.to))));
  },
});
