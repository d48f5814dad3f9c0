// A whole world as one JSON document, made in pieces: it may be longer than a text can be. It holds the subscriptions' secrets, but
// no credentials and no tokens.
import { createHash } from "node:crypto";
import type { Message } from "../domain/kernel/records.ts";
import type { Row } from "../log/entry.ts";
import { credentials, names } from "../world/state/schema.ts";
import type { World } from "../world/state/world.ts";

/** By this a document is recognised. */
export const FORMAT = "experience-sandbox world";
/** Raised when an older sandbox could not read it. */
export const VERSION = 1;

/** Characters of a piece: about a millisecond of work, so that the sender can serve other requests between two pieces. */
const PIECE = 256 * 1024;

/** Returns the document of the present point in time, however long the reader takes: the copy costs nothing until one side changes. */
export function exportWorld(world: World, piece = PIECE): Iterable<string> {
  const collections = world.copy();
  // Empty collections are left out, so a new store changes no document.
  const exported = names.filter((name) => !credentials.includes(name) && collections[name].size > 0);
  const lists = exported.map((name): [string, Iterable<unknown>] => {
    const rows = collections[name].all();
    return [name, name === "messages" ? omitCauses(rows as Iterable<Message>) : (rows as Iterable<Row>)];
  });
  return formatDocument(world.id, lists, piece);
}

/** The checksum covers the text of the collections, so that it can be computed while they are written. */
function* formatDocument(id: string, lists: Iterable<[string, Iterable<unknown>]>, piece: number): Generator<string> {
  const hash = createHash("sha256");
  yield `${JSON.stringify({ format: FORMAT, version: VERSION, world: id }).slice(0, -1)},"collections":`;
  for (const text of formatCollections(lists, piece)) {
    hash.update(text);
    yield text;
  }
  yield `,"checksum":"${hash.digest("hex")}"}`;
}

/** Yields the collections of a document as JSON, in pieces of at least so many characters. */
export function* formatCollections(
  lists: Iterable<readonly [name: string, Iterable<unknown>]>,
  piece = PIECE,
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

/** The cause of a message is in a log that stays here, under an id of this process: equal worlds have equal documents without it. */
function* omitCauses(messages: Iterable<Message>): Generator<object> {
  for (const { caused_by: _, ...message } of messages) yield message;
}
