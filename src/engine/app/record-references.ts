// Which members of a record name other records, and whether those exist. A member that may outlive the record it names is left out: a
// delivery outlives its subscription, an answer its question.
import type { Order } from "../domain/kernel/records.ts";
import type { Name } from "../world/state/schema.ts";

/** A star stands for every item of a list. */
type Reference = readonly [path: string, to: Name | ((row: never) => Name)];

const RESOURCES = "resources.*.resource_id";

const references: Partial<Record<Name, readonly Reference[]>> = {
  experiences: [
    ["location_ids.*", "locations"],
    ["opening_rules.*.location_id", "locations"],
    [`ticket_variants.*.${RESOURCES}`, "resources"],
    [`ticket_variants.*.add_on_variants.*.${RESOURCES}`, "resources"],
  ],
  events: [
    ["experience_id", "experiences"],
    ["sessions.*.location_id", "locations"],
    ["resource_ids.*", "resources"],
    ["locked_by", "bookings"],
  ],
  bookings: [
    ["experience_id", "experiences"],
    ["event_id", "events"],
    ["order_id", "orders"],
  ],
  tickets: [
    ["booking_id", "bookings"],
    ["event_id", "events"],
  ],
  orders: [["origin.id", ({ origin }: Order): Name => (origin.type === "BOOKING" ? "bookings" : "giftCards")]],
  giftCards: [["order_id", "orders"]],
  entries: [
    ["order_id", "orders"],
    ["booking_id", "bookings"],
    ["gift_card_id", "giftCards"],
  ],
  deliveries: [["message_id", "messages"]],
};

const steps = new Map(
  Object.entries(references).map(([name, rows]) => [name, rows.map(([path, to]) => ({ path: path.split("."), to }))]),
);

export interface Dangling {
  member: string;
  id: string;
  /** The collection in which nothing has this id. */
  missing: Name;
}

/** The first member of a record that names a missing record; undefined when none does. */
export function danglingIn(
  collection: Name,
  row: object,
  has: (collection: Name, id: string) => boolean,
): Dangling | undefined {
  for (const { path, to } of steps.get(collection) ?? []) {
    for (const { member, id } of valuesAt(row, path, "")) {
      const missing = typeof to === "string" ? to : to(row as never);
      if (!has(missing, id)) return { member, id, missing };
    }
  }
  return undefined;
}

function* valuesAt(value: unknown, path: readonly string[], member: string): Generator<{ member: string; id: string }> {
  const [step, ...rest] = path;
  if (value === undefined) return;
  if (step === undefined) yield { member: member.slice(1), id: value as string };
  else if (step !== "*") yield* valuesAt((value as Record<string, unknown>)[step], rest, `${member}.${step}`);
  else for (const [index, each] of (value as unknown[]).entries()) yield* valuesAt(each, rest, `${member}.${index}`);
}
