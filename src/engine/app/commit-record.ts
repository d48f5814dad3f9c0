// A commit as it is kept in memory: what it cost is known, and what is seldom read is made when it is.
import type { Fact } from "../domain/kernel/facts.ts";
import { fromMillis, type Instant } from "../domain/kernel/instant.ts";
import type { Cause, Changed } from "../world/state/commit.ts";
import { credentials, type Name } from "../world/state/schema.ts";
import type { Row } from "../world/store/store.ts";

export interface Commit {
  /** Its place in the one order of everything that happens in this process. */
  readonly seq: number;
  readonly at: Instant;
  /** Real time. */
  readonly wall_at: Instant;
  readonly cause: Cause;
  readonly facts: readonly Fact[];
  readonly changes: readonly Changed[];
}

/** Keys and tokens stay when a world goes back. */
export const isOfClient = ({ changes }: Commit): boolean =>
  changes.every(({ collection }) => credentials.includes(collection) || collection === "counters");

/** Of a commit with its list, and of each change in it. */
const [COMMIT_BYTES, CHANGE_BYTES] = [250, 60];

/**
 * What a commit keeps in memory that would be free without it: the records that it replaced or removed. Those that it wrote belong to the
 * world, until a later commit replaces them and counts them.
 */
function bytesOf(changes: readonly Changed[]): number {
  let bytes = COMMIT_BYTES + CHANGE_BYTES * changes.length;
  for (const { collection, before } of changes) if (before) bytes += sizeOf(collection, before);
  return bytes;
}

/**
 * The texts of wall-clock times and the list of changes are made when they are read: of each change one list holds the collection, the
 * record before and the record after. Thousands are kept, and each object more is copied several times by the garbage collector.
 */
export class Remembered implements Commit {
  readonly seq: number;
  readonly at: Instant;
  readonly #wall: number;
  readonly cause: Cause;
  readonly facts: readonly Fact[];
  readonly #changes: readonly (Name | Row | null)[];
  readonly bytes: number;

  /** `wall`: milliseconds of real time. */
  constructor(
    { seq, at, wall }: { seq: number; at: Instant; wall: number },
    cause: Cause,
    facts: readonly Fact[],
    changes: readonly Changed[],
  ) {
    this.seq = seq;
    this.at = at;
    this.#wall = wall;
    this.cause = cause;
    this.facts = facts;
    this.#changes = flat(changes);
    this.bytes = bytesOf(changes);
  }

  get wall_at(): Instant {
    return fromMillis(this.#wall);
  }

  get changes(): readonly Changed[] {
    const changes: Changed[] = [];
    for (let i = 0; i < this.#changes.length; i += 3) {
      const [collection, before, after] = this.#changes.slice(i, i + 3) as [Name, Row | null, Row | null];
      changes.push({ collection, id: (before ?? after)?.id ?? "", before, after });
    }
    return changes;
  }
}

function flat(changes: readonly Changed[]): (Name | Row | null)[] {
  const flattened = new Array<Name | Row | null>(3 * changes.length);
  let at = 0;
  for (const { collection, before, after } of changes) {
    flattened[at++] = collection;
    flattened[at++] = before;
    flattened[at++] = after;
  }
  return flattened;
}

// What a record takes in memory, roughly and cheaply: for a bound, not for a bill.

/** Records of a collection are much alike, so that one of a few is weighed. */
const WEIGHED = 16;
const sizes = new Map<string, { bytes: number; left: number }>();

function sizeOf(collection: string, record: object): number {
  const known = sizes.get(collection);
  if (known && known.left-- > 0) return known.bytes;
  const bytes = weigh(record);
  sizes.set(collection, { bytes, left: WEIGHED - 1 });
  return bytes;
}

/** Roughly: 16 bytes for each value, and one for each character of a text. */
function weigh(value: unknown): number {
  if (typeof value === "string") return 16 + value.length;
  if (typeof value !== "object" || value === null) return 16;
  let bytes = 32;
  for (const name in value) bytes += weigh((value as Record<string, unknown>)[name]);
  return bytes;
}
