// Reading a whole world from one JSON document: it is checked before anything changes. Assumption: delivery-targets (subscriptions to
// public hosts are loaded disabled).
import { createHash } from "node:crypto";
import { isPublicTarget } from "../domain/company/subscription.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import type { Subscription } from "../domain/kernel/records.ts";
import { credentials, type Name, names } from "../world/state/schema.ts";
import type { Change, Row } from "../world/store/store.ts";
import type { RecordCheck } from "./record-check.ts";
import { danglingIn } from "./record-references.ts";
import { FORMAT, VERSION } from "./world-export.ts";

function checksumOf(collections: object): string {
  return createHash("sha256").update(JSON.stringify(collections)).digest("hex");
}

function rejectDocument(path: string, what: string): never {
  throw new DomainError("INVALID_INPUT", { path, what: `${what} Take a document from GET /_sandbox/state.` });
}

interface Reading {
  /** Whether subscriptions that point at public hosts stay enabled. */
  allowPublic: boolean;
  check: RecordCheck;
}

export function readDocument(
  document: unknown,
  { allowPublic, check }: Reading,
): { rows: Change[]; warnings: string[] } {
  const { format, version, checksum, collections } = document as Record<string, unknown>;
  if (format !== FORMAT)
    rejectDocument(
      "body.format",
      `this is not a world of this sandbox: the format is ${JSON.stringify(format ?? null).slice(0, 60)}, not "${FORMAT}".`,
    );
  if (version !== VERSION)
    rejectDocument("body.version", `version ${String(version).slice(0, 20)} can't be read here, only ${VERSION}.`);
  if (typeof collections !== "object" || collections === null)
    rejectDocument("body.collections", "the collections are missing.");
  if (checksum !== undefined && checksum !== checksumOf(collections)) {
    rejectDocument(
      "body.checksum",
      "the document was changed or damaged since it was exported; remove the checksum to accept it as it is.",
    );
  }
  const known = new Map<string, Map<string, Row>>();
  for (const [name, list] of Object.entries(collections)) known.set(name, rowsIn(name, list, check));
  for (const name of ["company", "clock", "identity"]) {
    if (!known.get(name)?.size) rejectDocument(`body.collections.${name}`, "it is required.");
  }
  rejectDangling(known);
  const rows = [...known].flatMap(([name, list]) => Array.from(list, ([id, row]): Change => [name, id, row]));
  return allowPublic ? { rows, warnings: [] } : withoutPublicTargets(rows);
}

/** The records of a collection by id, each valid. */
function rowsIn(name: string, list: unknown, check: RecordCheck): Map<string, Row> {
  const path = `body.collections.${name.slice(0, 40)}`;
  if (!names.includes(name as Name) || credentials.includes(name as Name))
    rejectDocument(path, "there is no such collection in a world.");
  if (!Array.isArray(list)) rejectDocument(path, "it is not a list.");
  const rows = new Map<string, Row>();
  for (const [index, row] of (list as Row[]).entries()) {
    const fault = check(name as Name, row);
    if (fault) rejectDocument(join(path, index, fault.member), fault.what);
    if (rows.has(row.id)) rejectDocument(`${path}.${index}.id`, `another record of ${name} has the id ${row.id}.`);
    rows.set(row.id, row);
  }
  return rows;
}

/** A record that another one names has to be in the document too. */
function rejectDangling(known: ReadonlyMap<string, ReadonlyMap<string, Row>>): void {
  const has = (name: string, id: string) => known.get(name)?.has(id) ?? false;
  for (const [name, rows] of known) {
    let index = 0;
    for (const row of rows.values()) {
      const dangling = danglingIn(name as Name, row, has);
      if (dangling) {
        const { member, id, missing } = dangling;
        rejectDocument(join(`body.collections.${name}`, index, member), `${missing} has no record ${id.slice(0, 60)}.`);
      }
      index += 1;
    }
  }
}

const join = (path: string, index: number, member: string): string =>
  [path, index, member].filter((piece) => piece !== "").join(".");

function withoutPublicTargets(rows: readonly Change[]): { rows: Change[]; warnings: string[] } {
  const warnings: string[] = [];
  const safe = rows.map((change): Change => {
    const [name, id, row] = change;
    if (name !== "subscriptions" || !row) return change;
    const subscription = row as Subscription;
    if (subscription.state !== "ENABLED" || !isPublicTarget(subscription.url)) return change;
    warnings.push(
      `Subscription ${id} points at the public host of ${subscription.url} and was loaded DISABLED. --allow-public-webhooks loads it as it is.`,
    );
    return [name, id, { ...subscription, state: "DISABLED" } as Row];
  });
  return { rows: safe, warnings };
}
