// A whole world that comes in as one JSON document: it is checked before anything is touched. Assumption: delivery-targets (public
// hosts come in disabled).
import { createHash } from "node:crypto";
import type { Subscription } from "../domain/records.ts";
import { Refusal } from "../domain/refusal.ts";
import { isPublicTarget } from "../domain/subscription.ts";
import { credentials, type Name, names } from "../world/shelves.ts";
import type { Change } from "../world/transaction.ts";
import { whyNotRecord } from "./record-shapes.ts";
import { FORMAT, VERSION } from "./world-export.ts";

type Row = { id: string };

function checksumOf(collections: object): string {
  return createHash("sha256").update(JSON.stringify(collections)).digest("hex");
}

function refuseDocument(place: string, what: string): never {
  throw new Refusal("INVALID_INPUT", { place, what: `${what} Take a document from GET /_sandbox/state.` });
}

export function readDocument(document: unknown, allowPublic: boolean): { rows: Change[]; warnings: string[] } {
  const { format, version, checksum, collections } = document as Record<string, unknown>;
  if (format !== FORMAT)
    refuseDocument(
      "body.format",
      `this is not a world of this sandbox: the format is ${JSON.stringify(format ?? null).slice(0, 60)}, not "${FORMAT}".`,
    );
  if (version !== VERSION)
    refuseDocument("body.version", `version ${String(version).slice(0, 20)} can't be read here, only ${VERSION}.`);
  if (typeof collections !== "object" || collections === null)
    refuseDocument("body.collections", "the collections are missing.");
  if (checksum !== undefined && checksum !== checksumOf(collections)) {
    refuseDocument(
      "body.checksum",
      "the document was changed or damaged since it was exported; remove the checksum to accept it as it is.",
    );
  }
  const rows = Object.entries(collections).flatMap(([name, list]) => rowsIn(name, list));
  for (const name of ["company", "clock", "identity"]) {
    if (!rows.some(([collection]) => collection === name))
      refuseDocument(`body.collections.${name}`, "it is missing, and no world is without.");
  }
  return allowPublic ? { rows, warnings: [] } : withoutPublicTargets(rows);
}

function rowsIn(name: string, list: unknown): Change[] {
  if (!names.includes(name as Name) || credentials.includes(name as Name))
    refuseDocument(`body.collections.${name.slice(0, 40)}`, "there is no such collection in a world.");
  if (!Array.isArray(list)) refuseDocument(`body.collections.${name}`, "it is not a list.");
  return list.map((row: unknown, index): Change => {
    const id = typeof row === "object" && row !== null ? (row as Row).id : undefined;
    if (typeof id !== "string" || id === "")
      refuseDocument(`body.collections.${name}.${index}`, "it is not a record with an id.");
    const fault = whyNotRecord(name as Name, row as Row);
    if (fault)
      refuseDocument(
        `body.collections.${name}.${index}.${fault.member}`,
        `${id.slice(0, 60)} must have ${fault.wanted} there.`,
      );
    return [name, id, row as Row];
  });
}

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
