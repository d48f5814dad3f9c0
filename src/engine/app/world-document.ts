// Checks a JSON document of a complete world, and fills the collections that will replace the world. The world doesn't change before the complete
// document is checked. Other requests are served between two records.
import { createHash } from "node:crypto";
import { isObject } from "../../platform/json.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import { findNamedIn, recordKinds } from "../domain/kernel/record-kinds.ts";
import type { Row } from "../log/entry.ts";
import type { Collection } from "../world/state/collection.ts";
import { type Collections, credentials, type Name, names } from "../world/state/schema.ts";
import type { RecordCheck } from "./record-check.ts";
import { FORMAT, formatCollections, VERSION } from "./world-export.ts";

type Json = Record<string, unknown>;

/** Rejects with INVALID_INPUT at this path, and explains how to get a valid document. */
function rejectDocument(path: string, what: string): never {
  throw new DomainError("INVALID_INPUT", { path, what: `${what} Use a document that a sandbox exported.` });
}

/** Fills the collections from the document and yields after each record. Throws INVALID_INPUT at the first problem. */
export function* readDocument(document: unknown, collections: Collections, check: RecordCheck): Generator<void> {
  const lists = yield* checkEnvelope(document);
  for (const [name, list] of lists) yield* readList(name, list, collections, check);
  yield* checkReferences(lists, collections);
  for (const name of ["company", "clock", "identity"] as const) {
    if (collections[name].size === 0) rejectDocument(`body.collections.${name}`, "it is required.");
  }
}

/** Checks format, version and checksum first, so that a damaged document is not reported as one with an invalid record. */
function* checkEnvelope(document: unknown): Generator<void, [name: Name, list: unknown[]][]> {
  const { format, version, checksum, collections } = (document ?? {}) as Json;
  if (format !== FORMAT) {
    const given = JSON.stringify(format ?? null).slice(0, 60);
    rejectDocument("body.format", `this is not a world of this sandbox: the format is ${given}, not "${FORMAT}".`);
  }
  if (version !== VERSION)
    rejectDocument("body.version", `version ${String(version).slice(0, 20)} can't be read here, only ${VERSION}.`);
  if (!isObject(collections)) rejectDocument("body.collections", "the collections are missing.");
  const lists = Object.entries(collections).map(([name, list]): [Name, unknown[]] => {
    const path = `body.collections.${name.slice(0, 40)}`;
    // Documents contain no keys and tokens.
    if (!names.includes(name as Name) || credentials.includes(name as Name))
      rejectDocument(path, "there is no such collection in a world.");
    if (!Array.isArray(list)) rejectDocument(path, "it is not a list.");
    return [name as Name, list];
  });
  const hash = createHash("sha256");
  for (const text of formatCollections(lists)) yield void hash.update(text);
  const found = hash.digest("hex");
  if (checksum !== undefined && checksum !== found) {
    rejectDocument(
      "body.checksum",
      "the document was changed or damaged since it was exported; remove the checksum to import it anyway.",
    );
  }
  return lists;
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

/** Checks that every record that another one names is in the document. */
function* checkReferences(lists: readonly [name: Name, list: unknown[]][], collections: Collections): Generator<void> {
  for (const [name, list] of lists) {
    for (const [index, record] of list.entries()) {
      for (const { member, collection, id } of listNeeded(name, record as Row)) {
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

const PATHS = Object.fromEntries(
  Object.entries(recordKinds).map(([name, { needs = [] }]) => [name, needs.map((path) => path.split("."))]),
);

/** Lists the records that a record requires, by the table of record kinds. `member` is the path of the reference. */
function* listNeeded(name: Name, row: object): Generator<{ member: string; collection: Name; id: string }> {
  for (const path of PATHS[name] ?? []) {
    const collection = findNamedIn(path, row);
    if (collection) for (const { member, id } of walkPath(row, path, "")) yield { member, collection, id };
  }
}

function* walkPath(value: unknown, path: readonly string[], member: string): Generator<{ member: string; id: string }> {
  const [step, ...rest] = path;
  if (value === undefined) return;
  if (step === undefined) yield { member: member.slice(1), id: value as string };
  else if (step !== "*") yield* walkPath((value as Record<string, unknown>)[step], rest, `${member}.${step}`);
  else for (const [index, each] of (value as unknown[]).entries()) yield* walkPath(each, rest, `${member}.${index}`);
}
