// Compares two versions of a record field by field, with redacted secrets.
import { isDeepStrictEqual } from "node:util";
import type { Schemas } from "../../contract/schemas.ts";
import { getMember } from "../../platform/member-paths.ts";
import { REDACTED } from "../../platform/redacted.ts";
import { type CollectionName, getHead, isInternal, type StoredRecord } from "../domain/kernel/record-kinds.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { redactRecord } from "../log/redact.ts";
import type { CommittedChange } from "../world/state/commit.ts";

type ChangedMember = Schemas["Member"];
type Versions = Pick<CommittedChange, "before" | "after">;

type ChangeView = Pick<Schemas["RecordDiff"], "change" | "members">;

/** Lists the changed fields. A created or removed record is one field with an empty path. */
export function showChange(versions: Versions): ChangeView {
  const { before, after } = versions;
  return { change: toChangeKind(versions), members: [...compare("", before ?? undefined, after ?? undefined)] };
}

export function toChangeKind({ before, after }: Versions): ChangeView["change"] {
  if (before === null) return "created";
  return after === null ? "removed" : "updated";
}

/** Returns the title of a record, or its last one if it was removed; nothing if it has none. */
export function findTitle(
  { collection, before, after }: CommittedChange,
  tx: Transaction,
): Partial<Pick<Schemas["RecordHead"], "title" | "timezone">> {
  const record = after ?? before;
  if (!record || isInternal(collection)) return {};
  const { title, timezone } = getHead(tx, collection as CollectionName, redactRecord(record) as StoredRecord);
  return { ...(title ? { title } : {}), ...(timezone ? { timezone } : {}) };
}

/** Whether the two versions differ. The number of rewinds of a world is not part of its state. */
export function isDifferent({ before, after, collection }: CommittedChange): boolean {
  if (collection !== "counters" || !before || !after) return !isDeepStrictEqual(before, after);
  return !isDeepStrictEqual({ ...before, went_back: 0 }, { ...after, went_back: 0 });
}

/** Redacts the id of a token, which is its hash. */
export const showId = ({ collection, id }: Pick<CommittedChange, "collection" | "id">): string =>
  collection === "tokens" ? REDACTED : id;

function* compare(path: string, before: unknown, after: unknown): Generator<ChangedMember> {
  if (before === after) return;
  if (isDeep(before) && isDeep(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* compare(path === "" ? name : `${path}.${name}`, getMember(before, name), getMember(after, name));
    return;
  }
  const member: ChangedMember = { path };
  const name = path.slice(path.lastIndexOf(".") + 1);
  if (before !== undefined) member.before = redactRecord(before, name);
  if (after !== undefined) member.after = redactRecord(after, name);
  yield member;
}

const isDeep = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
