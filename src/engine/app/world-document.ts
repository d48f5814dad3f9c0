// Exports a complete world as one JSON document, and reads such a document. Assumption: delivery-targets (subscriptions
// to public hosts are loaded disabled).

import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../../platform/json.ts";
import { runSliced, Slice } from "../../platform/slices.ts";
import { isPublicTarget } from "../domain/company/subscription.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { findNamedIn, recordKinds } from "../domain/kernel/record-kinds.ts";
import type { Message, Subscription } from "../domain/kernel/records.ts";
import type { Row } from "../log/entry.ts";
import type { Collection } from "../world/state/collection.ts";
import { type Collections, credentials, type Name, names } from "../world/state/schema.ts";
import type { World } from "../world/state/world.ts";
import type { RecordCheck } from "./record-check.ts";
import { assertBookingsFit } from "./world-size.ts";

/** Identifies documents of worlds. */
const FORMAT = "experience-sandbox world";
/** The version of the format. It increases when older versions can't read the new format. */
const VERSION = 1;

/** Characters of a piece. It takes about a millisecond, and other requests are served between two pieces. */
const MIN_PIECE_LENGTH = 256 * 1024;

/**
 * Returns the document of the present point in time, however long the reader takes. It consists of pieces, because it
 * may be longer than a string can be. It contains the secrets of subscriptions, but no keys and tokens.
 */
export function exportWorld(world: World, piece = MIN_PIECE_LENGTH): Iterable<string> {
  return formatDocument(world.id, world.copy(), piece);
}

/** Yields the document. The checksum covers the text of the collections and is computed while they are written. */
function* formatDocument(id: string, collections: Collections, piece: number): Generator<string> {
  // Empty collections are omitted, so a new kind of collection changes no document.
  const exported = names.filter((name) => !credentials.includes(name) && collections[name].size > 0);
  const lists = exported.map((name): [Name, Iterable<unknown>] => {
    return [name, name === "messages" ? omitCauses(collections.messages.all()) : collections[name].all()];
  });
  const hash = createHash("sha256");
  yield `${JSON.stringify({ format: FORMAT, version: VERSION, world: id }).slice(0, -1)},"collections":`;
  for (const text of formatCollections(lists, piece)) {
    hash.update(text);
    yield text;
  }
  yield `,"checksum":"${hash.digest("hex")}"}`;
}

/** Yields the collections of a document as JSON, in pieces of at least `piece` characters. */
function* formatCollections(
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

/**
 * Fills empty collections from a document, with turns for other requests in between. Returns warnings. Rejects with
 * INVALID_INPUT.
 */
export async function readWorld(
  document: unknown,
  collections: Collections,
  { check, settings }: { check: RecordCheck; settings: { allowPublicWebhooks: boolean } },
): Promise<string[]> {
  // Parsing the document took its time already.
  await new Slice().pause();
  await runSliced(readDocument(document, collections, check));
  assertBookingsFit(collections.bookings.size, "body.collections.bookings");
  return settings.allowPublicWebhooks ? [] : disablePublicTargets(collections);
}

/** Returns a warning for each subscription that was disabled. */
function disablePublicTargets({ subscriptions }: Collections): string[] {
  const isSent = ({ state, url }: Subscription) => state === "ENABLED" && isPublicTarget(url);
  return [...subscriptions.all()].filter(isSent).map((subscription) => {
    subscriptions.set(subscription.id, { ...subscription, state: "DISABLED" });
    return `Subscription ${subscription.id} points at the public host of ${subscription.url} and was loaded DISABLED. A sandbox with the option \`allow-public-webhooks\` loads it enabled.`;
  });
}

/** Rejects the value at this path below `body`, and explains how to get a valid document. */
const rejectDocument = (path: readonly (string | number)[], what: string): never =>
  reject("INVALID_INPUT", {
    path: ["body", ...path].filter((step) => step !== "").join("."),
    what: `${what} Use a document that a sandbox exported.`,
  });

/** Fills the collections from the document and yields after each record. Throws INVALID_INPUT at the first problem. */
function* readDocument(document: unknown, collections: Collections, check: RecordCheck): Generator<void> {
  const lists = yield* checkEnvelope((document ?? {}) as JsonObject);
  for (const [name, list] of lists) {
    const collection = collections[name] as unknown as Collection<Row>;
    for (const [index, record] of list.entries()) {
      const problem = check(name, record);
      if (problem) rejectDocument(["collections", name, index, problem.member], problem.what);
      const row = record as Row;
      if (collection.has(row.id))
        rejectDocument(["collections", name, index, "id"], `another record of ${name} has the id ${row.id}.`);
      collection.set(row.id, row);
      yield;
    }
  }
  yield* checkReferences(lists, collections);
  for (const name of ["company", "clock", "identity"] as const)
    if (collections[name].size === 0) rejectDocument(["collections", name], "it is required.");
}

type Lists = readonly [name: Name, list: readonly unknown[]][];

/**
 * Checks format, version and checksum first, so that a damaged document is not reported as one with an invalid record.
 */
function* checkEnvelope({ format, version, checksum, collections }: JsonObject): Generator<void, Lists> {
  if (format !== FORMAT) {
    const given = JSON.stringify(format ?? null).slice(0, 60);
    rejectDocument(["format"], `this is not a world of this sandbox: the format is ${given}, not "${FORMAT}".`);
  }
  if (version !== VERSION)
    rejectDocument(["version"], `version ${String(version).slice(0, 20)} can't be read here, only ${VERSION}.`);
  if (!isObject(collections)) return rejectDocument(["collections"], "the collections are missing.");
  const lists = Object.entries(collections).map(([name, list]): [Name, unknown[]] => {
    const path = ["collections", name.slice(0, 40)];
    // Documents contain no keys and tokens.
    if (!names.includes(name as Name) || credentials.includes(name as Name))
      rejectDocument(path, "there is no such collection in a world.");
    return Array.isArray(list) ? [name as Name, list] : rejectDocument(path, "it is not a list.");
  });
  const hash = createHash("sha256");
  for (const text of formatCollections(lists)) yield void hash.update(text);
  const changed = "the document was changed or damaged since it was exported; remove the checksum to import it anyway.";
  const found = hash.digest("hex");
  if (checksum !== undefined && checksum !== found) rejectDocument(["checksum"], changed);
  return lists;
}

/** Checks that every record that another one needs, by the table of record kinds, is in the document. */
function* checkReferences(lists: Lists, collections: Collections): Generator<void> {
  for (const [name, list] of lists) {
    const paths = NEEDED[name] ?? [];
    for (const [index, record] of list.entries()) {
      for (const path of paths) {
        const needed = findNamedIn(path, record as Row);
        for (const [member, id] of needed ? walkPath(record, path) : [])
          if (needed && !collections[needed].has(id))
            rejectDocument(["collections", name, index, ...member], `${needed} has no record ${id.slice(0, 60)}.`);
      }
      yield;
    }
  }
}

const NEEDED: Readonly<Partial<Record<Name, readonly string[][]>>> = Object.fromEntries(
  Object.entries(recordKinds).map(([name, { needs = [] }]) => [name, needs.map((path) => path.split("."))]),
);

/** Yields the ids at a path, which goes through all items of a list at an asterisk, each with its own path. */
function* walkPath(
  value: unknown,
  [step, ...rest]: readonly string[],
  member: readonly (string | number)[] = [],
): Generator<[member: readonly (string | number)[], id: string]> {
  if (value === undefined) return;
  if (step === undefined) yield [member, value as string];
  else if (step !== "*") yield* walkPath((value as JsonObject)[step], rest, [...member, step]);
  else for (const [index, each] of (value as unknown[]).entries()) yield* walkPath(each, rest, [...member, index]);
}
