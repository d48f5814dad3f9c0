// What differs between two versions of a record, member by member, as people see it: secrets are blotted.
import type { Changed } from "../world/state/commit.ts";

export interface Member {
  /** As `status` or `line_items.0.quantity`. */
  path: string;
  /** Absent: it was not there. */
  before?: unknown;
  /** Absent: it is gone. */
  after?: unknown;
}

export type Change = "created" | "updated" | "removed";

export function changeOf({ before, after }: Pick<Changed, "before" | "after">): Change {
  if (before === null) return "created";
  return after === null ? "removed" : "updated";
}

/** A record that is there on one side only is one member with an empty path. */
export function membersOf({ before, after }: Pick<Changed, "before" | "after">): Member[] {
  return [...differing("", before ?? undefined, after ?? undefined)];
}

const SECRETS = ["secret", "cursor_key"];
const BLOTTED = "[redacted]";

/** A token is kept under its hash. */
export const shownId = ({ collection, id }: Pick<Changed, "collection" | "id">): string =>
  collection === "tokens" ? BLOTTED : id;

function* differing(path: string, before: unknown, after: unknown): Generator<Member> {
  if (before === after) return;
  if (!isDeep(before) || !isDeep(after) || Array.isArray(before) !== Array.isArray(after)) {
    yield {
      path,
      ...(before === undefined ? {} : { before: blotted(before, nameIn(path)) }),
      ...(after === undefined ? {} : { after: blotted(after, nameIn(path)) }),
    };
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    yield* differing(path === "" ? name : `${path}.${name}`, before[name], after[name]);
}

const isDeep = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const nameIn = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

function blotted(value: unknown, name: string): unknown {
  if (SECRETS.includes(name) && typeof value === "string") return BLOTTED;
  if (Array.isArray(value)) return value.map((each) => blotted(each, ""));
  if (!isDeep(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, blotted(each, member)]));
}
