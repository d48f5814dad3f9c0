// Shows the past of a world: its commits, the versions of a record, and the difference between two points in time.
// Rewinds worlds.
import type { Schemas } from "../../../contract/schemas.ts";
import type { CausedChange, FoldedCommit, RequestsPort } from "../../app/application.ts";
import { findTitle, showChange, showId, toChangeKind } from "../../app/differences.ts";
import { isInternal } from "../../domain/kernel/record-kinds.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import type { Cause } from "../../world/state/commit.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { writeJsonPieces } from "../json-pieces.ts";
import { defineHandlers, ok } from "./handler.ts";

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

/** The cause of a difference without a commit. */
const UNKNOWN: Cause = { kind: "world", id: "unknown" };

const showDifference = (change: CausedChange, tx: Transaction): Schemas["RecordDiff"] => ({
  collection: change.collection,
  ...findTitle(change, tx),
  cause: change.causes[0] ?? UNKNOWN,
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
