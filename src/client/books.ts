// Reads the journal of a world, and compares an integrator's own postings with it.
import type { operations } from "../contract/generated/control.ts";
import { optional } from "../platform/optional.ts";
import type { Schemas, WorldClient } from "./control.ts";
import { type OwnPosting, type Reconciled, reconcile } from "./reconcile.ts";

type EntryQuery = Partial<NonNullable<operations["listBookEntries"]["parameters"]["query"]>>;

const PAGE_SIZE = 500;

/** Reads the entries of all pages. */
export async function readBookEntries(
  { control, ask }: WorldClient,
  filter: EntryQuery = {},
): Promise<Schemas["BookEntry"][]> {
  const entries: Schemas["BookEntry"][] = [];
  let cursor: string | undefined;
  do {
    const query = { ...filter, limit: PAGE_SIZE, ...optional({ cursor }) };
    const page = await ask(control.GET("/_sandbox/books/entries", { params: { query } }));
    entries.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return entries;
}

/** The days of the rows are those of `span.zone`, by default of the company. */
export async function reconcileBooks(
  client: WorldClient,
  rows: readonly OwnPosting[],
  span: EntryQuery = {},
): Promise<Reconciled> {
  const entries = await readBookEntries(client, span);
  const zone = span.zone ?? (await client.ask(client.control.GET("/_sandbox/books/trial-balance"))).zone;
  return reconcile(entries, rows, zone);
}
