// The records a world keeps: the schemas of the specification, and beside them what only the rules need to know.
// Wire fields keep their spelling into the store, so there is no mapping layer; `shown.ts` leaves out what is ours.
import type { components } from "../../../contract/generated/api.ts";
import type { components as control } from "../../../contract/generated/control.ts";
import type { Instant } from "./instant.ts";

type Schemas = components["schemas"];

export type Price = Schemas["PriceAmount"];
export type Metadata = Schemas["Metadata"];
export type Address = Schemas["Address"];
export type Customer = Schemas["Customer"];
export type Item = Schemas["Item"];
export type CheckIn = Schemas["CheckIn"];
export type Discount = Schemas["Discount"];
export type Posting = Schemas["Posting"];
export type Activity = Schemas["Activity"];
export type TransactionStatus = Schemas["Transaction"]["status"];

/** A text in the storefront's languages: locale → text. */
export type Localized = Readonly<Record<string, string>>;

export interface Company {
  id: "company";
  company_id: string;
  name: string;
  user_id: string;
  email: string;
  timezone?: string;
  /** Storefront languages; the first is the fallback. */
  languages: string[];
  currency: string;
}

/** The clock of a world: held at an instant, or running at a distance (ms) from real time. */
export type ClockRecord =
  | { id: "clock"; mode: "held"; at: Instant }
  | { id: "clock"; mode: "running"; offset_ms: number; at: Instant };

export interface Counters {
  id: "counters";
  ids: number;
  orders: number;
  entries: number;
  deliveries: number;
  /** How often the sequence of ids went back; absent: never (world/state/went-back.ts). */
  went_back?: number;
}

export interface Identity {
  id: "identity";
  seed: string;
  fixture: string;
  /** Signs cursors, so that a changed one is recognised. */
  cursor_key: string;
  assumptions: Record<string, string>;
  /** What the world began as, for a reset. */
  origin: { fixture: string; clock?: Instant };
  /** The clock at its beginning; a world of an older release has none. */
  began_at?: Instant;
  /** What the fixture said when the world was made of it, as a short text. */
  made_of: string;
  /** On a snapshot: when it was saved, in real time and on the world's clock. */
  saved?: { wall: Instant; now: Instant };
  /** Bulk data that was added under an id, oldest first. */
  jobs?: PopulateJob[];
}

/** What came of it is answered again, and not done again. */
export interface PopulateJob {
  job: string;
  /** As asked for. */
  bookings: number;
  seed?: string;
  populated: Omit<control["schemas"]["Populated"], "world">;
}

export type Location = Omit<Schemas["Location"], "timezone"> & { timezone?: string; removed_at?: Instant };

export interface Resource {
  id: string;
  name: string;
  total: number;
}

export interface ResourceUse {
  resource_id: string;
  quantity: number;
}

export interface Offer {
  id: string;
  name: Localized;
  description?: Localized;
  price: Price;
  /** Decimal text, "0.25". */
  vat_rate: string;
  /** At most this many of it on one event. */
  limit?: number;
  resources?: ResourceUse[];
}

export interface Variant extends Offer {
  /** Seats of the event that one unit takes. */
  seats: number;
  add_on_variants: Offer[];
}

export interface Question {
  id: string;
  type: string;
  required: boolean;
  scope: "BOOKING" | "TICKET";
  label: Localized;
}

export interface ContentStep {
  title: Localized;
  description: Localized;
  image?: { url: string; mime_type: string };
}

export interface ContentBlock {
  type: string;
  handle: string;
  text?: Localized;
  title?: Localized;
  steps?: ContentStep[];
}

export interface OpeningRule {
  /** ISO weekdays, 1 = Monday. */
  weekdays: number[];
  from: string;
  to: string;
  /** ISO 8601. */
  duration: string;
  location_id: string;
  capacity: number;
}

export interface BookingFee {
  price: Price;
  vat_rate: string;
}

export type Experience = Omit<Schemas["Experience"], "name" | "description"> & {
  name: Localized;
  description?: Localized;
  location_ids: string[];
  ticket_variants: Variant[];
  information_requests: Question[];
  content_blocks: ContentBlock[];
  opening_rules: OpeningRule[];
  booking_fee?: BookingFee;
  /** ISO 8601 duration before the first start; events may set their own. */
  booking_cutoff?: string;
};

/** A session with the instants its local times mean in its zone. */
export type Session = Schemas["EventSession"] & { starts_at: Instant; ends_at: Instant };

export type ScheduledEvent = Omit<Schemas["Event"], "sessions"> & {
  sessions: Session[];
  cutoff_at: Instant;
  /** As requested: a duration before the first start, or an instant. */
  booking_cutoff?: string;
  /** Units sold of each variant and add-on, by id. */
  sold: Record<string, number>;
  /** The shared resources that its experience's offers need, or that its sold tickets hold. */
  resource_ids: string[];
  /** Units of each shared resource that its sold tickets hold; a record of an earlier version lacks it (sold.ts). */
  resources_used?: Readonly<Record<string, number>>;
  locked_by?: string;
  deleted_at?: Instant;
};

export interface Answer {
  information_request_id: string;
  answer: string;
  ticket_id?: string;
}

export type Booking = Schemas["Booking"] & {
  items: Item[];
  order_id: string;
  answers: Answer[];
  /** Set while PROCESSING: the tickets to come, and when an abandoned checkout gives its seats back. */
  lapses_at?: Instant;
  pending_tickets?: Ticket[];
};

/** `seats`, `resources_used`: how many of the event's it takes, and how many of each shared resource. */
export type Ticket = Omit<Schemas["Ticket"], "urls"> & {
  booking_id: string;
  event_id: string;
  place: number;
  seats: number;
  resources_used?: Readonly<Record<string, number>>;
};

/** A line with what happened to its money so far; all in minor units of the order's currency. */
export type OrderLine = Schemas["LineItem"] & {
  vat_rate?: string;
  gross: number;
  vat: number;
  captured: number;
  refunded: number;
  /** Net revenue recognised so far. */
  recognised: number;
};

export type OrderTransaction = Schemas["Transaction"];
/** `shares`: what each line gives back, in minor units by line id; a refund under way keeps it from others. */
export type OrderRefund = Schemas["Refund"] & { shares: Record<string, number> };

export type Order = Schemas["Order"] & {
  currency: string;
  line_items: OrderLine[];
  transactions: OrderTransaction[];
  refunds: OrderRefund[];
  /** Set once revenue counts as earned (completion, or money kept at a cancellation): from then on it follows the money. */
  earned_at?: Instant;
  /** What the integration pays its guest back itself, in minor units by line id (assumption: refund-of-integration). */
  left_to_integration?: Record<string, number>;
};

export type GiftCard = Schemas["GiftCard"];
export type Consent = Schemas["MarketingConsent"] & { created_at: Instant };

/** What an entry was booked for; of an act its name. */
export interface EntryCause {
  kind: "transaction" | "refund" | "gift_card" | "event" | "booking" | "act";
  id: string;
}

/** `parts`: what each line of its order takes part with, in minor units, in the lines' order. Records of earlier versions lack both. */
export type JournalEntry = Schemas["JournalEntry"] & {
  document_due_at?: Instant;
  cause?: EntryCause;
  parts?: number[];
};

export type Subscription = Schemas["WebhookSubscription"] & {
  secret: string;
  previous_secret?: { secret: string; valid_until: Instant };
  /** Made for the person who runs the sandbox: stays as it is when the world is reset, restored, imported or rewound. */
  pinned?: true;
};

export interface Key {
  /** The client id. */
  id: string;
  name: string;
  secret: string;
  scopes: string[];
  created_at: Instant;
  revoked_at?: Instant;
}

export interface Token {
  /** SHA-256 of the token: the token itself is never kept. */
  id: string;
  client_id: string;
  scopes: string[];
  expires_at: Instant;
}

/** One webhook body with its stable id. */
export interface Message {
  /** The `webhook-id`. */
  id: string;
  kind: string;
  created_at: Instant;
  /** The id of a request, an act or a receipt of a clock move, of this world's log; a document brings none. */
  caused_by?: string;
  /** The body exactly as it is sent and signed. */
  body: string;
  /** Its place in the sequence of all messages of the world. */
  place: number;
}

export interface Attempt {
  at: Instant;
  duration_ms: number;
  outcome: "ACCEPTED" | "REFUSED" | "TIMED_OUT" | "UNREACHABLE" | "BLOCKED" | "DROPPED";
  /** The body is the message's own, unless a fault sent another. */
  request: { headers: Record<string, string>; body?: string };
  answer: { status: number; headers: Record<string, string>; body: string } | null;
  error?: string;
  /** What was altered on purpose. */
  tamper?: Tamper;
  /** The fault that hit it, and what that did. */
  fault?: { name: string; did: string };
}

export type Tamper = "body" | "signature" | "timestamp";

/** A message for one subscription. */
export interface Delivery {
  id: string;
  message_id: string;
  subscription_id: string;
  url: string;
  state: "PENDING" | "DELIVERED" | "GIVEN_UP" | "DROPPED";
  created_at: Instant;
  /** The place of its message: orders first attempts by the order of the facts. */
  place: number;
  next_attempt_at?: Instant;
  /** Attempts since it was made or last sent again: says where in the schedule it stands. */
  tries: number;
  /** Since when it is no longer PENDING. */
  settled_at?: Instant;
  /** A resend in several copies or altered: how many are left. */
  resend?: { copies: number; tamper?: Tamper };
  attempts: Attempt[];
}
