// What differs between two versions of a record, member by member, as people see it: secrets are redacted.
import type { Schemas } from "../../contract/schemas.ts";
import { memberOf } from "../../platform/member-paths.ts";
import { REDACTED } from "../../platform/redacted.ts";
import { type CollectionName, headOf, isInternal, type StoredRecord } from "../domain/kernel/record-kinds.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { redactRecord } from "../log/redact.ts";
import type { Changed } from "../world/state/commit.ts";

type ChangedMember = Schemas["Member"];

type ChangeKind = "created" | "updated" | "removed";

export function changeOf({ before, after }: Pick<Changed, "before" | "after">): ChangeKind {
  if (before === null) return "created";
  return after === null ? "removed" : "updated";
}

/** A record that is there on one side only is one member with an empty path. */
export function membersOf({ before, after }: Pick<Changed, "before" | "after">): ChangedMember[] {
  return [...differing("", before ?? undefined, after ?? undefined)];
}

/** The title that the record has, or had at the end; nothing where it has none. */
export function titleOf({ collection, before, after }: Changed, tx: Transaction): Partial<Called> {
  const record = after ?? before;
  if (!record || isInternal(collection)) return {};
  const { title, timezone } = headOf(tx, collection as CollectionName, redactRecord(record) as StoredRecord);
  return { ...(title ? { title } : {}), ...(timezone ? { timezone } : {}) };
}

type Called = Pick<Schemas["RecordHead"], "title" | "timezone">;

/** Whether a person could tell the two apart. How often a world went back says how it came to a moment, not what it is like there. */
export function differs({ collection, before, after }: Changed): boolean {
  for (const { path } of differing("", before ?? undefined, after ?? undefined))
    if (collection !== "counters" || path !== "went_back") return true;
  return false;
}

/** A token is kept under its hash. */
export const displayId = ({ collection, id }: Pick<Changed, "collection" | "id">): string =>
  collection === "tokens" ? REDACTED : id;

function* differing(path: string, before: unknown, after: unknown): Generator<ChangedMember> {
  if (before === after) return;
  if (!isDeep(before) || !isDeep(after) || Array.isArray(before) !== Array.isArray(after)) {
    yield {
      path,
      ...(before === undefined ? {} : { before: withoutSecrets(before, path) }),
      ...(after === undefined ? {} : { after: withoutSecrets(after, path) }),
    };
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    yield* differing(path === "" ? name : `${path}.${name}`, memberOf(before, name), memberOf(after, name));
}

const isDeep = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const withoutSecrets = (value: unknown, path: string): unknown =>
  redactRecord(value, path.slice(path.lastIndexOf(".") + 1));
