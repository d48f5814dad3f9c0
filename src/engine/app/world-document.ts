// Checks a whole world that arrived as one JSON document, and puts its records into the collections that take the world's place. Nothing
// of the present world changes before all of it is checked, and other requests are served between two records.
import { createHash } from "node:crypto";
import { isObject } from "../../platform/json.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import type { Row } from "../log/entry.ts";
import type { Collection } from "../world/state/collection.ts";
import { type Collections, credentials, type Name, names } from "../world/state/schema.ts";
import type { RecordCheck } from "./record-check.ts";
import { neededBy } from "./record-references.ts";
import { FORMAT, VERSION } from "./world-export.ts";

type Json = Record<string, unknown>;

/** INVALID_INPUT at this path, with where to get a document that is right. */
function rejectDocument(path: string, what: string): never {
  throw new DomainError("INVALID_INPUT", { path, what: `${what} Take a document that a sandbox exported.` });
}

/** Fills the collections from the document, one step for each record. Throws INVALID_INPUT at the first problem. */
export function* readDocument(document: unknown, collections: Collections, check: RecordCheck): Generator<void> {
  const lists = yield* checkEnvelope(document);
  for (const [name, list] of lists) yield* readList(name, list, collections, check);
  yield* checkReferences(lists, collections);
  for (const name of ["company", "clock", "identity"] as const) {
    if (collections[name].size === 0) rejectDocument(`body.collections.${name}`, "it is required.");
  }
}

/** Format, version and checksum come first: a damaged document is reported as damaged, not as one with a wrong record. */
function* checkEnvelope(document: unknown): Generator<void, [name: Name, list: unknown[]][]> {
  const { format, version, checksum, collections } = (document ?? {}) as Json;
  if (format !== FORMAT) {
    const given = JSON.stringify(format ?? null).slice(0, 60);
    rejectDocument("body.format", `this is not a world of this sandbox: the format is ${given}, not "${FORMAT}".`);
  }
  if (version !== VERSION)
    rejectDocument("body.version", `version ${String(version).slice(0, 20)} can't be read here, only ${VERSION}.`);
  if (!isObject(collections)) rejectDocument("body.collections", "the collections are missing.");
  const found = yield* hashCollections(collections);
  if (checksum !== undefined && checksum !== found) {
    rejectDocument(
      "body.checksum",
      "the document was changed or damaged since it was exported; remove the checksum to accept it as it is.",
    );
  }
  return Object.entries(collections).map(([name, list]) => {
    const path = `body.collections.${name.slice(0, 40)}`;
    // A document has no keys and tokens.
    if (!names.includes(name as Name) || credentials.includes(name as Name))
      rejectDocument(path, "there is no such collection in a world.");
    if (!Array.isArray(list)) rejectDocument(path, "it is not a list.");
    return [name as Name, list];
  });
}

/** The checksum of an export covers the text of its collections, record by record. */
function* hashCollections(collections: Json): Generator<void, string> {
  const hash = createHash("sha256");
  let separator = "{";
  for (const [name, list] of Object.entries(collections)) {
    hash.update(`${separator}${JSON.stringify(name)}:`);
    separator = ",";
    if (!Array.isArray(list)) hash.update(JSON.stringify(list));
    else yield* hashList(list, (text) => hash.update(text));
  }
  hash.update(separator === "{" ? "{}" : "}");
  return hash.digest("hex");
}

function* hashList(list: readonly unknown[], update: (text: string) => void): Generator<void> {
  update("[");
  for (const [index, record] of list.entries()) {
    update(`${index === 0 ? "" : ","}${JSON.stringify(record)}`);
    yield;
  }
  update("]");
}

function* readList(
  name: Name,
  list: readonly unknown[],
  collections: Collections,
  check: RecordCheck,
): Generator<void> {
  const collection = collections[name] as unknown as Collection<Row>;
  for (const [index, record] of list.entries()) {
    const path = `body.collections.${name}`;
    const problem = check(name, record);
    if (problem) rejectDocument(joinPath(path, index, problem.member), problem.what);
    const row = record as Row;
    if (collection.has(row.id))
      rejectDocument(`${path}.${index}.id`, `another record of ${name} has the id ${row.id}.`);
    collection.set(row.id, row);
    yield;
  }
}

/** Every record that another one names must be in the document. */
function* checkReferences(lists: readonly [name: Name, list: unknown[]][], collections: Collections): Generator<void> {
  for (const [name, list] of lists) {
    for (const [index, record] of list.entries()) {
      for (const { member, collection, id } of neededBy(name, record as Row)) {
        if (!collections[collection].has(id))
          rejectDocument(
            joinPath(`body.collections.${name}`, index, member),
            `${collection} has no record ${id.slice(0, 60)}.`,
          );
      }
      yield;
    }
  }
}

const joinPath = (path: string, index: number, member: string): string =>
  [path, index, member].filter((piece) => piece !== "").join(".");
