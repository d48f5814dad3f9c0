// Replaces a world by a JSON document of a complete world. The document is checked with turns for other requests in
// between, then replaces the world in one step. Assumption: delivery-targets (subscriptions to public hosts are loaded
// disabled).

import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../../platform/json.ts";
import { runSliced, Slice } from "../../platform/slices.ts";
import { isPublicTarget } from "../domain/company/subscription.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { findNamedIn, recordKinds } from "../domain/kernel/record-kinds.ts";
import type { Subscription } from "../domain/kernel/records.ts";
import type { Row } from "../log/entry.ts";
import type { Collection } from "../world/state/collection.ts";
import { type Collections, credentials, type Name, names } from "../world/state/schema.ts";
import { listRowChanges, type World } from "../world/state/world.ts";
import type { RecordCheck } from "./record-check.ts";
import type { StatesDeps } from "./states-deps.ts";
import { FORMAT, formatCollections, VERSION } from "./world-export.ts";
import { assertBookingsFit } from "./world-size.ts";

/** Returns undefined if the world was removed in the meantime. Rejects with INVALID_INPUT, which leaves the world unchanged. */
export async function importWorld(
  { worlds, forgetWork, onLoad, check, defaults }: StatesDeps,
  id: string,
  document: unknown,
): Promise<{ world: World; warnings: string[] } | undefined> {
  const staged = worlds.stage(id);
  const { collections } = staged;
  // Parsing the document took its time already.
  await new Slice().pause();
  await runSliced(readDocument(document, collections, check));
  assertBookingsFit(collections.bookings.size, "body.collections.bookings");
  const warnings = defaults.allowPublic ? [] : disablePublicTargets(collections);
  if (!(await staged.store(listRowChanges(collections), () => worlds.get(id) !== undefined))) return undefined;
  // The rest is synchronous, so no request is served until the new world is in place.
  forgetWork(id);
  const world = staged.takeOver();
  onLoad(world);
  return { world, warnings };
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

/** Checks format, version and checksum first, so that a damaged document is not reported as one with an invalid record. */
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
