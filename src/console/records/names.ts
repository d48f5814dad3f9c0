// How records are called where they stand in a list, a picker or a text of JSON: by which members one names another, and in which
// few words it says what it is.

import { amountText, isAmount } from "../parts/amount.ts";
import { valueAt } from "../value-at.ts";

/** Member → the collection of the record that it names. The id of a new record (`id`) names none. */
export const NAMES: Readonly<Record<string, string>> = {
  event_id: "events",
  booking_id: "bookings",
  experience_id: "experiences",
  location_id: "locations",
  location_ids: "locations",
  ticket_id: "tickets",
  order_id: "orders",
  gift_card_id: "giftCards",
  journal_entry_id: "entries",
  subscription_id: "subscriptions",
  message_id: "messages",
  resource_id: "resources",
  client_id: "keys",
  locked_by: "bookings",
};

export type AnyRecord = Readonly<Record<string, unknown>>;

/** The first of these that a record has says what it is, besides its id. */
const LABELS = [
  "name",
  "customer.name",
  "full_name",
  "email",
  "sessions.0.start_time",
  "number",
  "code",
  "kind",
  "url",
];
const MORE = ["experience_id", "event_id", "booking_id", "totals.amount", "balance", "message_id"];

const at = (record: AnyRecord, path: string): unknown => valueAt(record, path.split("."));

function words(value: unknown): string {
  if (typeof value === "string" || typeof value === "number")
    return String(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2");
  if (typeof value !== "object" || value === null) return "";
  if (isAmount(value)) return amountText(value);
  // A text in several languages.
  return words(Object.values(value)[0]);
}

/** "Anna Holm · evt-evening" */
export function labelOf(record: AnyRecord): string {
  const first = LABELS.map((path) => words(at(record, path))).find(Boolean);
  const more = MORE.map((path) => words(at(record, path))).find(Boolean);
  return [first, more].filter(Boolean).join(" · ");
}

export const stateOf = ({ status, state, revoked_at, removed_at, deleted_at }: AnyRecord): string =>
  revoked_at ? "REVOKED" : (removed_at ?? deleted_at) ? "DELETED" : words(status ?? state);

/** When it was made, or what comes nearest to it. */
export const madeAt = ({ created_at, occurred_at, at: when }: AnyRecord): string =>
  words(created_at ?? occurred_at ?? when);

export interface Piece {
  text: string;
  /** The record that the text names. */
  link?: { collection: string; id: string };
}

const NAMING = new RegExp(`("(?:${Object.keys(NAMES).join("|")})": (?:\\[\\s*)?")([^"\\\\]+)(?=")`);

/** JSON as it is read, in pieces: the ids of other records apart, so that they can be followed. */
export function piecesOf(value: unknown): Piece[] {
  const parts = (JSON.stringify(value, null, 2) ?? "").split(NAMING);
  const pieces: Piece[] = [];
  for (let index = 0; index < parts.length; index += 3) {
    const [text = "", before = "", id = ""] = parts.slice(index, index + 3);
    pieces.push({ text: text + before });
    const collection = NAMES[/"(\w+)"/.exec(before)?.[1] ?? ""];
    if (collection) pieces.push({ text: id, link: { collection, id } });
  }
  return pieces;
}

const FACTS: Readonly<Record<string, string>> = {
  gift_card: "giftCards",
  journal_entry: "entries",
  marketing_consent: "consents",
  webhook_subscription: "subscriptions",
  token: "keys",
};

/** The collection of the record that a fact is about. */
export function collectionOfFact(fact: string): string {
  const noun = fact.split(".")[0] ?? "";
  return FACTS[noun] ?? `${noun}s`;
}

/** Good, bad, or to be waited for. */
export function toneOf(state: string): "ok" | "bad" | "warn" | "quiet" {
  if (/^(ACTIVE|COMPLETED|CHECKED_IN|DELIVERED|ENABLED|PAID)$/.test(state)) return "ok";
  if (/^(CANCELLED|VOIDED|GIVEN_UP|REVOKED|FAILED|DELETED)$/.test(state)) return "bad";
  return /^(PROCESSING|PENDING|INITIATED|DISABLED)$/.test(state) ? "warn" : "quiet";
}
