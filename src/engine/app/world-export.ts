// A whole world as one JSON document, made in pieces: it may be longer than a text can be. It holds the subscriptions' secrets, but
// no credentials and no tokens. It tells of one moment, however long the reader takes.
import { createHash } from "node:crypto";
import type { Message } from "../domain/kernel/records.ts";
import type { Row } from "../log/entry.ts";
import { type Collections, credentials, names } from "../world/state/schema.ts";
import type { World } from "../world/state/world.ts";

/** By this a document is recognised. */
export const FORMAT = "experience-sandbox world";
/** Raised when an older sandbox could not read it. */
export const VERSION = 1;

/** Characters of a piece: about a millisecond of work, so that the sender can serve other requests between two pieces. */
const PIECE = 256 * 1024;

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
    for (const row of collections[name].all() as Iterable<Row>) {
      text += comma + JSON.stringify(name === "messages" ? omitCause(row) : row);
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
function omitCause(row: Row): Row {
  const { caused_by: _, ...message } = row as Row & Pick<Message, "caused_by">;
  return message;
}
