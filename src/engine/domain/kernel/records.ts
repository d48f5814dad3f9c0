// The records that a world keeps, as spec/world.yaml has them, and the two that no document has. Wire fields keep their spelling into the
// store, so there is no mapping layer; `shown.ts` leaves out what is ours.
import type { components as public_ } from "../../../contract/generated/api.ts";
import type { components } from "../../../contract/generated/world.ts";
import type { Instant } from "./instant.ts";

type Schemas = public_["schemas"];
type Stored = components["schemas"];

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
export type OrderTransaction = Schemas["Transaction"];

/** A text in the storefront's languages: locale → text. */
export type Localized = Readonly<Stored["Localized"]>;
export type Company = Stored["company"];
/** The clock of a world: held at an instant, or running at a distance (ms) from real time. */
export type ClockRecord = Stored["HeldClock"] | Stored["RunningClock"];
export type Counters = Stored["counters"];
export type Identity = Stored["identity"];
export type PopulateJob = NonNullable<Identity["jobs"]>[number];

export type Location = Stored["locations"];
export type Resource = Stored["resources"];
export type Offer = Stored["Offer"];
export type Variant = Stored["Variant"];
export type Question = Stored["Question"];
export type ContentBlock = Stored["ContentBlock"];
export type ContentStep = NonNullable<ContentBlock["steps"]>[number];
export type OpeningRule = Stored["OpeningRule"];
export type Experience = Stored["experiences"];
export type BookingFee = NonNullable<Experience["booking_fee"]>;

/** A session with the instants its local times mean in its zone. */
export type Session = Stored["Session"];
/** A list that is narrower than that of the service takes its place. */
export type ScheduledEvent = Omit<Stored["events"], "sessions"> & { sessions: Session[] };

export type Answer = Booking["answers"][number];
export type Booking = Stored["bookings"];
export type Ticket = Stored["tickets"];

export type Order = Stored["orders"];
/** A line with what happened to its money so far; all in minor units of the order's currency. */
export type OrderLine = Stored["OrderLine"];
export type OrderRefund = Stored["OrderRefund"];
export type GiftCard = Stored["giftCards"];
export type Consent = Stored["consents"];
export type EntryCause = Stored["EntryCause"];
export type JournalEntry = Stored["entries"];

export type Subscription = Stored["subscriptions"];
/** One webhook body with its stable id. */
export type Message = Stored["messages"];
export type Attempt = Stored["Attempt"];
export type Tamper = Stored["Tamper"];
/** A message for one subscription. */
export type Delivery = Stored["deliveries"];

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
