// Reading a whole world from one JSON document, record by record, beside the world whose place it takes: it is checked before anything
// changes, and others are served between two records.
import { createHash } from "node:crypto";
import { findDuplicateMember } from "../../platform/duplicate-member.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import type { Collection, TextAt } from "../world/state/collection.ts";
import { credentials, type Name, names } from "../world/state/schema.ts";
import type { Staged } from "../world/state/worlds.ts";
import type { Row } from "../world/store/store.ts";
import { DocumentScan, type Syntax } from "./document-scan.ts";
import type { RecordCheck } from "./record-check.ts";
import { neededBy } from "./record-references.ts";
import { FORMAT, VERSION } from "./world-export.ts";

const problemOf = (path: string, what: string): DomainError =>
  new DomainError("INVALID_INPUT", { path, what: `${what} Take a document that a sandbox exported.` });

/** INVALID_INPUT at this path, with where to get a document that is right. */
function rejectDocument(path: string, what: string): never {
  throw problemOf(path, what);
}

const TWICE = "the document has it twice.";

interface DocumentReading {
  bytes: Buffer;
  syntax: Syntax;
  check: RecordCheck;
  /** Where its records go. */
  staged: Staged;
}

/** A record that names another one, which was not there yet. */
interface Waiting {
  path: string;
  index: number;
  member: string;
  collection: Name;
  id: string;
}

type DocumentHead = Record<string, unknown>;

/** Puts the records of a document into the staged world. The first problem of a record is thrown last: a damaged document is reported as damaged. */
export class DocumentReader {
  readonly #reading: DocumentReading;
  readonly #scan: DocumentScan;
  readonly #hash = createHash("sha256");
  readonly #head: DocumentHead = {};
  readonly #collectionNames = new Set<string>();
  readonly #waiting: Waiting[] = [];
  #problem: unknown;

  constructor(reading: DocumentReading) {
    this.#reading = reading;
    this.#scan = new DocumentScan(reading.bytes, reading.syntax);
  }

  /** A step for each record. */
  *read(): Generator<void> {
    if (!this.#scan.isObject) rejectFormat(this.#parse(this.#scan.value()));
    for (const text of this.#scan.members()) {
      const name = this.#name(text);
      if (Object.hasOwn(this.#head, name)) this.#reject(`body.${name.slice(0, 40)}`, TWICE);
      if (name === "collections" && this.#scan.isObject) yield* this.#collections();
      else this.#head[name] = this.#parse(this.#scan.value());
    }
    this.#scan.end();
    // Checksum and format first: a damaged document is reported as damaged, not as one with a wrong record.
    this.#checkHead();
    if (this.#problem) throw this.#problem;
    yield* this.#checkReferences();
    for (const name of ["company", "clock", "identity"] as const) {
      if (this.#reading.staged.collections[name].size === 0)
        rejectDocument(`body.collections.${name}`, "it is required.");
    }
  }

  *#collections(): Generator<void> {
    this.#head.collections = {};
    let comma = "{";
    for (const text of this.#scan.members()) {
      // The checksum covers the text without blanks, so it is put together anew.
      this.#hash.update(comma + text + ":");
      comma = ",";
      const name = this.#name(text);
      const path = `body.collections.${name.slice(0, 40)}`;
      // A document has no keys and tokens.
      const isKnown = names.includes(name as Name) && !credentials.includes(name as Name);
      if (!isKnown) this.#reject(path, "there is no such collection in a world.");
      else if (!this.#scan.isList) this.#reject(path, "it is not a list.");
      else if (this.#collectionNames.has(name)) this.#reject(path, TWICE);
      this.#collectionNames.add(name);
      if (this.#scan.isList) yield* this.#list(name as Name, path);
      else this.#hash.update(JSON.stringify(this.#parse(this.#scan.value())));
    }
    this.#hash.update(comma === "{" ? "{}" : "}");
  }

  *#list(name: Name, path: string): Generator<void> {
    let [index, comma] = [0, "["];
    for (const _ of this.#scan.items()) {
      this.#hash.update(comma);
      this.#hash.update(this.#record(name, [path, index], this.#scan.valueAt()));
      comma = ",";
      index += 1;
      yield;
    }
    this.#hash.update(comma === "[" ? "[]" : "]");
  }

  /** Keeps it where nothing is wrong; its text. */
  #record(name: Name, [path, index]: readonly [path: string, index: number], read: TextAt): string | Buffer {
    const record = this.#parse(read.text);
    // Nothing is kept any more, but the checksum has to go on.
    if (this.#problem) return JSON.stringify(record);
    const { check, staged } = this.#reading;
    const duplicate = findDuplicateMember(read.text);
    const problem = duplicate ? { member: duplicate.name.slice(0, 40), what: TWICE } : check(name, record);
    const row = record as Row;
    const collection = staged.collections[name] as unknown as Collection<Row>;
    if (problem) this.#reject(join(path, index, problem.member), problem.what);
    else if (collection.has(row.id))
      this.#reject(`${path}.${index}.id`, `another record of ${name} has the id ${row.id}.`);
    else {
      for (const needed of neededBy(name, row)) if (!this.#has(needed)) this.#waiting.push({ path, index, ...needed });
      return collection.hold(row, read).bytes;
    }
    return JSON.stringify(record);
  }

  /** In the document, not in the world that it replaces. */
  #has({ collection, id }: { collection: Name; id: string }): boolean {
    return this.#reading.staged.collections[collection].has(id);
  }

  *#checkReferences(): Generator<void> {
    for (const waiting of this.#waiting) {
      const { path, index, member, collection, id } = waiting;
      if (!this.#has(waiting))
        rejectDocument(join(path, index, member), `${collection} has no record ${id.slice(0, 60)}.`);
      yield;
    }
  }

  #reject(path: string, what: string): void {
    this.#problem ??= problemOf(path, what);
  }

  #checkHead(): void {
    const { version, checksum, collections } = this.#head;
    rejectFormat(this.#head);
    if (version !== VERSION)
      rejectDocument("body.version", `version ${String(version).slice(0, 20)} can't be read here, only ${VERSION}.`);
    if (typeof collections !== "object" || collections === null)
      rejectDocument("body.collections", "the collections are missing.");
    const found = this.#hash.digest("hex");
    if (checksum !== undefined && checksum !== found) {
      rejectDocument(
        "body.checksum",
        "the document was changed or damaged since it was exported; remove the checksum to accept it as it is.",
      );
    }
  }

  /** Of a member: some are refused wherever they stand. */
  #name(text: string): string {
    return Object.keys(this.#parse(`{${text}:0}`) as object)[0] ?? "";
  }

  #parse(text: string): unknown {
    return this.#reading.syntax.parse(text);
  }
}

function rejectFormat(document: unknown): void {
  const { format } = (document ?? {}) as DocumentHead;
  if (format === FORMAT) return;
  const found = JSON.stringify(format ?? null).slice(0, 60);
  rejectDocument("body.format", `this is not a world of this sandbox: the format is ${found}, not "${FORMAT}".`);
}

const join = (path: string, index: number, member: string): string =>
  [path, index, member].filter((piece) => piece !== "").join(".");
