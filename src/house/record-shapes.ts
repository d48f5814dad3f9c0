// What every record of a world has at least, by collection: enough that no rule stumbles over a document made elsewhere.
// `a` is text, `a#` a number, `a[]` a list, `a{}` an object, `a@` an instant.
import { readInstant } from "../domain/instant.ts";
import type { Name } from "../world/shelves.ts";

const made = "created_at@ updated_at@";

const shapes: Record<Name, string> = {
  company: "company_id name user_id email languages[] currency",
  clock: "mode at@",
  counters: "ids# orders# entries# deliveries#",
  identity: "seed fixture cursor_key assumptions{} origin{}",
  locations: made,
  resources: "name total#",
  experiences: `${made} state name{} location_ids[] ticket_variants[] information_requests[] content_blocks[] opening_rules[]`,
  events: `${made} state visibility experience_id capacity{} sessions[] cutoff_at@ sold{} resource_ids[]`,
  bookings: `${made} status company_id experience_id event_id customer{} locale items[] order_id answers[]`,
  tickets: "status items[] booking_id event_id place# seats#",
  orders: `${made} number status payment_status customer{} origin{} totals{} currency line_items[] transactions[] refunds[]`,
  giftCards: `${made} code status initial_value{} balance{} expires_at@`,
  consents: "created_at@ company_id full_name email source",
  entries: "kind number occurred_at@ created_at@ currency postings[] documents[] activities[]",
  subscriptions: `${made} url event_types[] state secret`,
  messages: "kind created_at@ caused_by body place#",
  deliveries: "message_id subscription_id url state created_at@ place# tries# attempts[]",
  keys: "name secret scopes[] created_at@",
  tokens: "client_id scopes[] expires_at@",
};

type Test = [meaning: string, holds: (value: unknown) => boolean];
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const tests: Record<string, Test> = {
  "": ["text", (value) => typeof value === "string"],
  "#": ["a number", (value) => typeof value === "number"],
  "[]": ["a list", Array.isArray],
  "{}": ["an object", isObject],
  "@": [
    "an instant like 2030-06-01T09:00:00.000Z",
    (value) => typeof value === "string" && readInstant(value) === value,
  ],
};

/** The first member that is not as it must be, and what it must be; undefined when the record is whole. */
export function whyNotRecord(collection: Name, row: object): { member: string; wanted: string } | undefined {
  for (const wish of shapes[collection].split(" ")) {
    const [, member = "", kind = ""] = /^(\w+)(\W*)$/.exec(wish) ?? [];
    const [wanted, holds] = tests[kind] as Test;
    if (!holds((row as Record<string, unknown>)[member])) return { member, wanted };
  }
  if (collection === "events" && (row as { sessions: unknown[] }).sessions.length === 0)
    return { member: "sessions", wanted: "a list of at least one" };
  return undefined;
}
