// Exports a complete world as one JSON document. It is created in pieces, because it may be longer than a string can
// be. It contains the secrets of subscriptions, but no keys and tokens.
import { createHash } from "node:crypto";
import type { Message } from "../domain/kernel/records.ts";
import type { Row } from "../log/entry.ts";
import { credentials, names } from "../world/state/schema.ts";
import type { World } from "../world/state/world.ts";

/** Identifies documents of worlds. */
export const FORMAT = "experience-sandbox world";
/** The version of the format. It increases when older versions can't read the new format. */
export const VERSION = 1;

/** Characters of a piece. It takes about a millisecond, and other requests are served between two pieces. */
const MIN_PIECE_LENGTH = 256 * 1024;

/** Returns the document of the present point in time, however long the reader takes. */
export function exportWorld(world: World, piece = MIN_PIECE_LENGTH): Iterable<string> {
  const collections = world.copy();
  // Empty collections are omitted, so a new kind of collection changes no document.
  const exported = names.filter((name) => !credentials.includes(name) && collections[name].size > 0);
  const lists = exported.map((name): [string, Iterable<unknown>] => {
    const rows = collections[name].all();
    return [name, name === "messages" ? omitCauses(rows as Iterable<Message>) : (rows as Iterable<Row>)];
  });
  return formatDocument(world.id, lists, piece);
}

/** Yields the document. The checksum covers the text of the collections and is computed while they are written. */
function* formatDocument(id: string, lists: Iterable<[string, Iterable<unknown>]>, piece: number): Generator<string> {
  const hash = createHash("sha256");
  yield `${JSON.stringify({ format: FORMAT, version: VERSION, world: id }).slice(0, -1)},"collections":`;
  for (const text of formatCollections(lists, piece)) {
    hash.update(text);
    yield text;
  }
  yield `,"checksum":"${hash.digest("hex")}"}`;
}

/** Yields the collections of a document as JSON, in pieces of at least `piece` characters. */
export function* formatCollections(
  lists: Iterable<readonly [name: string, Iterable<unknown>]>,
  piece = MIN_PIECE_LENGTH,
): Generator<string> {
  let text = "{";
  let comma = "";
  for (const [name, rows] of lists) {
    text += `${comma}${JSON.stringify(name)}:[`;
    comma = "";
    for (const row of rows) {
      text += comma + JSON.stringify(row);
      comma = ",";
      if (text.length < piece) continue;
      yield text;
      text = "";
    }
    text += "]";
    comma = ",";
  }
  yield `${text}}`;
}

/** Omits the causes of messages. They are ids of this process, so equal worlds would have different documents. */
function* omitCauses(messages: Iterable<Message>): Generator<object> {
  for (const { caused_by: _, ...message } of messages) yield message;
}
