// A whole world as one JSON document, made in pieces: it may be longer than a text can be. It holds the subscriptions' secrets, but
// no credentials and no tokens. It tells of one moment, however long the reader takes.
import { createHash } from "node:crypto";
import type { Message } from "../domain/kernel/records.ts";
import { readOnce, textOf } from "../world/state/collection.ts";
import { type Collections, credentials, names } from "../world/state/schema.ts";
import type { World } from "../world/state/world.ts";
import type { Row } from "../world/store/store.ts";

/** By this a document is recognised. */
export const FORMAT = "experience-sandbox world";
/** Raised when an older sandbox could not read it. */
export const VERSION = 1;

/** Characters of a piece, and records put in order between two pieces: about a millisecond of work. */
const PIECE = 256 * 1024;
const STRIDE = 5_000;

/** Some pieces are empty: the sender may do other work in between. */
export function exportWorld(world: World, piece = PIECE): Iterable<string> {
  // The copy is of this moment, and costs nothing until one side changes.
  return documentOf(world.id, world.copy(), piece);
}

/** The checksum covers the text of the collections, so that it can be computed while they are written. */
function* documentOf(id: string, collections: Collections, piece: number): Generator<string> {
  const hash = createHash("sha256");
  yield `${JSON.stringify({ format: FORMAT, version: VERSION, world: id }).slice(0, -1)},"collections":`;
  for (const text of textsOf(collections, piece)) {
    hash.update(text);
    yield text;
  }
  yield `,"checksum":"${hash.digest("hex")}"}`;
}

function* textsOf(collections: Collections, piece: number): Generator<string> {
  let text = "{";
  let comma = "";
  for (const name of names) {
    // Empty collections are left out, so a new store changes no document.
    if (credentials.includes(name) || collections[name].size === 0) continue;
    text += `${comma}${JSON.stringify(name)}:[`;
    comma = "";
    for (const row of inOrder(collections[name].stored())) {
      text += row ? comma + textOf(name === "messages" ? withoutCause(row) : row) : "";
      if (row) comma = ",";
      if (row && text.length < piece) continue;
      yield text;
      text = "";
    }
    text += "]";
    comma = ",";
  }
  yield `${text}}`;
}

/** The cause of a message is in a log that stays here, under an id of this process: equal worlds have equal documents without it. */
function withoutCause(stored: Row): Row {
  const { caused_by: _, ...message } = readOnce(stored) as Row & Pick<Message, "caused_by">;
  return message;
}

/** By id, sorted group by group, since sorting all at once would block other requests; undefined for a pause. */
function* inOrder(rows: Iterable<Row>): Generator<Row | undefined> {
  const groups = new Map<string, Row[]>();
  let seen = 0;
  for (const row of rows) {
    const start = row.id.slice(0, 2);
    const group = groups.get(start);
    if (group) group.push(row);
    else groups.set(start, [row]);
    if (++seen % STRIDE === 0) yield undefined;
  }
  for (const start of [...groups.keys()].sort()) {
    yield* (groups.get(start) ?? []).sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}
