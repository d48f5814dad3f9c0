// What has to be compressed, or compared with a template, before a batch is written: no row is locked meanwhile.
import type { Change } from "../../engine/world/store/log-records.ts";
import type { ListedWorld } from "../../engine/world/store/store-interface.ts";
import type { Entry } from "./batch.ts";
import type { Query } from "./connection.ts";
import { lineOf, packed } from "./packed-rows.ts";
import { differences } from "./template-rows.ts";
import type { Templates } from "./templates.ts";

export interface Body {
  template: Buffer | null;
  body: Buffer;
}

export type Bodies = ReadonlyMap<Entry, Body>;

export async function prepared(query: Query, entries: readonly Entry[], templates: Templates): Promise<Bodies> {
  const bodies = new Map<Entry, Body>();
  for (const entry of entries) {
    if (entry.do === "load") bodies.set(entry, await bodyOf(query, entry.rows, templates, entry.made !== undefined));
    else if (entry.do === "save")
      bodies.set(entry, { template: null, body: await packed(entry.changes.map((change) => lineOf(change))) });
  }
  return bodies;
}

async function bodyOf(query: Query, rows: readonly Change[], templates: Templates, isNew: boolean): Promise<Body> {
  const template = await templates.fitting(query, rows, isNew);
  const lines = template ? differences(template, rows) : rows.map(lineOf);
  return { template: template?.hash ?? null, body: await packed(lines) };
}

/** What a world was made from, for lists. */
export function recipeOf(rows: readonly Change[]): ListedWorld["recipe"] {
  const identity = rows.find(([collection]) => collection === "identity")?.[2] as
    | { fixture?: string; seed?: string; origin?: { fixture?: string; clock?: string } }
    | null
    | undefined;
  const { fixture = identity?.fixture, clock } = identity?.origin ?? {};
  if (typeof fixture !== "string") return null;
  return { fixture, seed: String(identity?.seed ?? ""), ...(typeof clock === "string" ? { clock } : {}) };
}
