// What has to be compressed, or compared with a template, before a batch is written: no row is locked meanwhile.

import type { RowChange } from "../../engine/world/state/commit.ts";
import type { BatchEntry } from "./batch.ts";
import type { Database } from "./connection.ts";
import { linesOf, packed } from "./packed-rows.ts";
import type { ListedWorld } from "./shared-worlds.ts";
import { differences, identityIn } from "./template-rows.ts";
import type { Templates } from "./templates.ts";

export interface Body {
  template: Buffer | null;
  body: readonly Buffer[];
}

export type Bodies = ReadonlyMap<BatchEntry, Body>;

/** The bodies of the entries that need one. May ask the database for templates, in statements of their own. */
export async function prepared(
  database: Database,
  entries: readonly BatchEntry[],
  templates: Templates,
): Promise<Bodies> {
  const bodies = new Map<BatchEntry, Body>();
  for (const entry of entries) {
    if (entry.do === "load") bodies.set(entry, await bodyOf(database, entry.rows, templates, entry.made !== undefined));
    else if (entry.do === "save") bodies.set(entry, { template: null, body: await packed(linesOf(entry.changes)) });
  }
  return bodies;
}

async function bodyOf(
  database: Database,
  rows: readonly RowChange[],
  templates: Templates,
  isNew: boolean,
): Promise<Body> {
  const template = await templates.fitting(database, rows, isNew);
  const lines = template ? differences(template, rows) : linesOf(rows);
  return { template: template?.hash ?? null, body: await packed(lines) };
}

/** What a world was made from, for lists. */
export function recipeOf(rows: readonly RowChange[]): ListedWorld["recipe"] {
  const identity = identityIn(rows);
  const { fixture = identity?.fixture, clock } = identity?.origin ?? {};
  if (typeof fixture !== "string") return null;
  return { fixture, seed: String(identity?.seed ?? ""), ...(typeof clock === "string" ? { clock } : {}) };
}
