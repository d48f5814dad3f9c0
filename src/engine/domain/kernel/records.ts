// Defines the records of a world as in spec/world.yaml, and two records without a schema. Fields keep their wire names in
// the store, so no mapping is needed; views leave out internal fields.

import type { components } from "../../../contract/generated/world.ts";
import type { ServiceSchemas } from "../../../contract/schemas.ts";
import type { Instant } from "./instant.ts";

type StoredSchemas = components["schemas"];

export type Price = ServiceSchemas["PriceAmount"];
export type Metadata = ServiceSchemas["Metadata"];
export type Address = ServiceSchemas["Address"];
export type Customer = ServiceSchemas["Customer"];
export type Item = ServiceSchemas["Item"];
export type CheckIn = ServiceSchemas["CheckIn"];
export type Discount = ServiceSchemas["Discount"];
export type Posting = ServiceSchemas["Posting"];
export type Activity = ServiceSchemas["Activity"];
export type TransactionStatus = ServiceSchemas["Transaction"]["status"];
export type OrderTransaction = ServiceSchemas["Transaction"];

/** A text in the storefront's languages: locale → text. */
export type Localized = Readonly<StoredSchemas["Localized"]>;
export type Company = StoredSchemas["company"];
/** The clock of a world: held at an instant, or running at a fixed distance (ms) from real time. */
export type ClockRecord = StoredSchemas["HeldClock"] | StoredSchemas["RunningClock"];
export type Counters = StoredSchemas["counters"];
export type Identity = StoredSchemas["identity"];
export type PopulateJob = NonNullable<Identity["jobs"]>[number];

export type Location = StoredSchemas["locations"];
export type Resource = StoredSchemas["resources"];
export type Offer = StoredSchemas["Offer"];
export type Variant = StoredSchemas["Variant"];
export type Question = StoredSchemas["Question"];
export type ContentBlock = StoredSchemas["ContentBlock"];
export type ContentStep = NonNullable<ContentBlock["steps"]>[number];
export type OpeningRule = StoredSchemas["OpeningRule"];
export type Experience = StoredSchemas["experiences"];
export type BookingFee = NonNullable<Experience["booking_fee"]>;

/** A session with the instants of its local times. */
export type Session = StoredSchemas["Session"];
/** The narrower list of sessions replaces that of the service. */
export type ScheduledEvent = Omit<StoredSchemas["events"], "sessions"> & { sessions: Session[] };

export type QuestionAnswer = Booking["answers"][number];
export type Booking = StoredSchemas["bookings"];
export type Ticket = StoredSchemas["tickets"];

export type Order = StoredSchemas["orders"];
/** A line with what happened to its money; all amounts are in minor units of the order's currency. */
export type OrderLine = StoredSchemas["OrderLine"];
export type OrderRefund = StoredSchemas["OrderRefund"];
export type GiftCard = StoredSchemas["giftCards"];
export type Consent = StoredSchemas["consents"];
export type EntryCause = StoredSchemas["EntryCause"];
export type JournalEntry = StoredSchemas["entries"];

export type Subscription = StoredSchemas["subscriptions"];
/** The body of a webhook message, with its stable id. */
export type Message = StoredSchemas["messages"];
export type Attempt = StoredSchemas["Attempt"];
export type Tamper = StoredSchemas["Tamper"];
/** A message for one subscription. */
export type Delivery = StoredSchemas["deliveries"];

export interface Key {
  /** The client id. */
  id: string;
  name: string;
  secret: string;
  scopes: string[];
  created_at: Instant;
  /** The position among the keys of the world, counted from 1. The first key that is not revoked is the world's own. */
  position: number;
  revoked_at?: Instant;
}

export interface Token {
  /** The SHA-256 of the token; the token itself is never stored. */
  id: string;
  client_id: string;
  scopes: string[];
  expires_at: Instant;
  /** Set if the control API issued the token for requests that do not come from the program. */
  sent_by?: "person" | "tool";
}
