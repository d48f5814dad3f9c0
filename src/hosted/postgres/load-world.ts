// One world and its named snapshots, as they are in the database: the snapshot, the changes after it, and the retained entries of its log.
import { decodeText, parseEntry, type State, type StoredEntry } from "../../engine/log/entry.ts";
import type { DroppedEntries } from "../../engine/log/log.ts";
import { applyEntry } from "../../engine/log/recover.ts";
import { type StoredWorlds, toState } from "../../engine/log/snapshot.ts";
import type { Query } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";
import { applyChanges, FORMAT, unpack } from "./packed-rows.ts";

interface LoadedWorld {
  state: State;
  entries: StoredEntry[];
  /** Undefined where all entries since its beginning are retained. */
  dropped: DroppedEntries | undefined;
  /** No node has given a later number to an entry of it. */
  lastSeq: number;
  known: Pick<HeldWorld, "seq" | "written" | "rows" | "snapshot" | "named">;
}

/** Why a world can't be read, as one sentence. `isNewer`: a newer version can. The database itself has not failed. */
export class Unreadable extends Error {
  readonly isNewer: boolean;
  constructor(why: string, isNewer = false) {
    super(why);
    this.isNewer = isNewer;
  }
}

interface SnapshotRow {
  name: string;
  seq: string;
  format: number;
  body: Buffer;
  /** Version 0.2.0 stored apart what many worlds have in common. */
  template: Buffer | null;
}

interface JournalRow {
  seq: string;
  format: number;
  kind: string;
  previous: string | null;
  record: string;
}

/** Throws `Unreadable` where a change is missing or of a newer version, and the driver's error where the database fails. */
export async function loadWorld(query: Query, world: string): Promise<LoadedWorld> {
  const worlds: StoredWorlds = new Map([[world, new Map()]]);
  const known = { seq: 0, written: 0, rows: 0, snapshot: 0, named: 0 };
  const { rows: snapshots } = await query<SnapshotRow>(
    `select s.name, s.seq, s.format, s.body, t.body as template
     from snapshots s left join templates t on t.hash = s.template where s.world = $1 order by s.name`,
    [world],
  );
  for (const { name, seq, format, template, body } of snapshots) {
    assertKnown(format, world);
    const records = new Map();
    worlds.set(name === "" ? world : `${world}@${name}`, records);
    if (template) await unpack(template, records);
    await unpack(body, records);
    if (name === "") Object.assign(known, { seq: Number(seq), snapshot: body.length });
    else known.named += body.length;
  }
  const reader = new JournalReader(world, worlds, known);
  await reader.read(query);
  known.written = known.seq;
  const { rows } = await query<{ dropped: number; last_seq: number }>(
    "select dropped::float8 as dropped, last_seq::float8 as last_seq from worlds where id = $1",
    [world],
  );
  const { dropped = 0, last_seq: lastSeq = 0 } = rows[0] ?? {};
  return {
    state: toState(worlds),
    entries: reader.entries,
    dropped: dropped > 0 ? { count: dropped, last: reader.firstPoint } : undefined,
    lastSeq: Math.max(lastSeq, known.seq, reader.entries.at(-1)?.seq ?? 0),
    known,
  };
}

/** The journal is read in pages: a statement and its result stay short. */
const PAGE = 5000;

class JournalReader {
  readonly entries: StoredEntry[] = [];
  readonly #world: string;
  readonly #worlds: StoredWorlds;
  readonly #known: LoadedWorld["known"];
  readonly #snapshotSeq: number;
  #firstPoint: number | undefined;

  constructor(world: string, worlds: StoredWorlds, known: LoadedWorld["known"]) {
    this.#world = world;
    this.#worlds = worlds;
    this.#known = known;
    this.#snapshotSeq = known.seq;
  }

  /** The commits after this number are retained. */
  get firstPoint(): number {
    return this.#firstPoint ?? this.#snapshotSeq;
  }

  async read(query: Query): Promise<void> {
    let last = "-1";
    for (;;) {
      const { rows } = await query<JournalRow>(
        "select seq, format, kind, previous, record from journal where world = $1 and seq > $2 order by seq limit $3",
        [this.#world, last, PAGE],
      );
      for (const row of rows) this.#read(row);
      last = rows.at(-1)?.seq ?? last;
      if (rows.length < PAGE) return;
    }
  }

  #read({ format, record, kind, ...row }: JournalRow): void {
    const [known, seq] = [this.#known, Number(row.seq)];
    assertKnown(format, this.#world);
    const entry = format === 1 ? undefined : decodeText(record);
    if (entry) this.entries.push(entry);
    if (kind === "change" || kind === "outcome") this.#firstPoint ??= seq - 1;
    if (seq > this.#snapshotSeq) known.rows += Buffer.byteLength(record);
    if (seq <= this.#snapshotSeq || kind !== "change") return;
    // A hole means that the database has lost a commit that was acknowledged. In format 1 the numbers of a world had no gaps.
    const previous = format === 1 ? seq - 1 : Number(row.previous);
    if (previous !== known.seq || (format > 1 && !entry))
      throw new Unreadable(
        `The database lacks entry ${previous} of world ${this.#world}, and has entry ${seq}. Nothing was changed. Restore the world from a backup, or remove it.`,
      );
    if (entry) applyEntry(this.#worlds, parseEntry(entry));
    else applyChanges(this.#worlds.get(this.#world) ?? new Map(), JSON.parse(record));
    known.seq = seq;
  }
}

function assertKnown(format: number, world: string): void {
  if (format <= FORMAT) return;
  throw new Unreadable(
    `World ${world} was written by a newer version of the sandbox (format ${format}; this version reads ${FORMAT}). Start the newer version in place of this one.`,
    true,
  );
}
