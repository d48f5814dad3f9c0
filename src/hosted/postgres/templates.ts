// Worlds that were made of the same fixture are the same but for a few rows. What they share is stored once, as a template under the hash
// of its content, and a snapshot holds only what differs from it. In memory too, worlds share the rows of their template.
import { createHash } from "node:crypto";
import type { RowChange } from "../../engine/world/state/commit.ts";
import { inSlices } from "../../platform/slices.ts";
import type { Database, Query } from "./connection.ts";
import { changesIn, FORMAT, lineOf, packed } from "./packed-rows.ts";
import { bodyAt, bodyIn, bytesIn, FIRST_PIECE, type FirstPiece, withBody } from "./stored-body.ts";
import { differences, keyOf, originOf, type Template } from "./template-rows.ts";

/** Every world has its own of these. */
const OWN = new Set(["identity", "clock", "counters", "keys", "tokens", "subscriptions", "messages", "deliveries"]);
/** Fewer rows than these are not worth a template; where more than this part of the rows differ, it does not fit. */
const FEWEST = 50;
const MOST_DIFFERENT = 0.25;
/** Of one origin: a fixture is played to an anchor that moves with the year. */
const MOST_CANDIDATES = 3;
/** In memory; a template takes about so many times what it takes packed. */
const MOST_BYTES = 64 << 20;
const UNPACKED = 20;

/** A cache of them, with a bound in bytes. Which one fits is decided anew for each body. */
export class Templates {
  /** The latest used last. */
  readonly #loaded = new Map<string, Template>();
  readonly #looked = new Set<string>();

  /** The rows of a template that a snapshot names. */
  async rows(query: Query, hash: Buffer): Promise<RowChange[]> {
    return [...(await this.get(query, hash)).rows.values()];
  }

  async get(query: Query, hash: Buffer): Promise<Template> {
    const known = this.#loaded.get(hash.toString("hex"));
    // Also where it was known: it moves to the end, which makes it the last to be dropped.
    return this.#remember(known ?? (await load(query, hash)));
  }

  /** The template that fits a new state of a world best; with `mayMake`, where none fits, one is made of it. */
  async fitting(database: Database, rows: readonly RowChange[], mayMake: boolean): Promise<Template | undefined> {
    const key = originOf(rows);
    if (key === undefined || rows.length < FEWEST) return undefined;
    await this.#look(database.query, key);
    let best: Template | undefined;
    let fewest = rows.length * MOST_DIFFERENT;
    // Comparing stops as soon as a template is worse than the best so far.
    for (const template of this.#of(key)) {
      const different = await inSlices(count(differences(template, rows), fewest));
      if (different > fewest) continue;
      [best, fewest] = [template, different];
    }
    if (best) return this.#remember(best);
    return mayMake ? this.#remember(await make(database, key, rows)) : undefined;
  }

  /** After a failure: one of them may have been removed. */
  forget(): void {
    this.#loaded.clear();
    this.#looked.clear();
  }

  #of(key: string): Template[] {
    return [...this.#loaded.values()].filter((template) => template.key === key).slice(-MOST_CANDIDATES);
  }

  async #look(query: Query, key: string): Promise<void> {
    if (this.#looked.has(key) && this.#of(key).length > 0) return;
    const { rows } = await query<{ hash: Buffer }>(
      "select hash from templates where key = $1 and format <= $2 order by created_at desc limit $3",
      [key, FORMAT, MOST_CANDIDATES],
    );
    for (const { hash } of rows) await this.get(query, hash);
    this.#looked.add(key);
  }

  #remember(template: Template): Template {
    const name = template.hash.toString("hex");
    this.#loaded.delete(name);
    this.#loaded.set(name, template);
    let bytes = 0;
    for (const each of this.#loaded.values()) bytes += each.bytes;
    for (const [other, each] of this.#loaded) {
      // The newest is never dropped, however large: somebody is about to use it.
      if (bytes <= MOST_BYTES || other === name) break;
      this.#loaded.delete(other);
      bytes -= each.bytes;
    }
    return template;
  }
}

// Throws where it was removed meanwhile; the batch fails then, and all templates are forgotten.
async function load(query: Query, hash: Buffer): Promise<Template> {
  const ofHash = ["from templates where hash = $1", [hash]] as const;
  const { rows } = await query<{ key: string } & FirstPiece>(`select key, ${FIRST_PIECE} ${ofHash[0]}`, ofHash[1]);
  const [found] = rows;
  if (!found) throw new Error("a template is missing");
  const changes = [];
  for await (const some of changesIn(bodyIn(query, found, ofHash))) changes.push(...some);
  return templateOf(hash, found.key, changes, found.bytes);
}

async function make(database: Database, key: string, all: readonly RowChange[]): Promise<Template> {
  const rows = all.filter(([collection]) => !OWN.has(collection));
  const { lines, hash } = await inSlices(hashed(rows));
  const body = await packed(lines);
  await database.transaction((query) =>
    withBody(query, body, (values) =>
      query(
        // The name is the hash of the content, so a second insert of the same is no conflict.
        `insert into templates (hash, key, format, body) values ($1, $2, $3, ${bodyAt(4)}) on conflict (hash) do nothing`,
        [hash, key, FORMAT, ...values],
      ),
    ),
  );
  return templateOf(hash, key, rows, bytesIn(body));
}

/** In steps. */
function* hashed(rows: readonly RowChange[]): Generator<void, { lines: string[]; hash: Buffer }> {
  const lines: string[] = [];
  const hash = createHash("sha256");
  for (const row of rows) {
    // The lines are made once, for the hash and for the body.
    const line = lineOf(row);
    hash.update(lines.length === 0 ? line : `\n${line}`);
    lines.push(line);
    yield;
  }
  return { lines, hash: hash.digest() };
}

function templateOf(hash: Buffer, key: string, rows: readonly RowChange[], packedBytes: number): Template {
  const byKey = new Map(rows.map((change) => [keyOf(change[0], change[1]), change]));
  return { hash, key, rows: byKey, bytes: packedBytes * UNPACKED };
}

/** Those that no snapshot names any more; a young one may be about to be named. */
export async function removeUnused(query: Query): Promise<number> {
  const { rowCount } = await query(
    `delete from templates t where t.created_at < now() - interval '1 hour'
     and not exists (select 1 from snapshots s where s.template = t.hash)`,
  );
  return rowCount;
}

/** In steps; no further than `most`. */
function* count(lines: Iterable<string | undefined>, most: number): Generator<void, number> {
  let found = 0;
  for (const line of lines) {
    if (line !== undefined) found += 1;
    if (found > most) break;
    yield;
  }
  return found;
}
