// The why of each error of the rules, one row for each code of domain-error.ts: a code without a row does not compile.

import { nearest } from "../../platform/nearest.ts";
import type { DomainErrorCode } from "../domain/kernel/domain-error.ts";
import * as booking from "./proposals/booking.ts";
import { laterExpiry, offeredLanguage, readable } from "./proposals/input.ts";
import * as items from "./proposals/items.ts";
import * as money from "./proposals/money.ts";
import * as records from "./proposals/records.ts";
import { revokedKey } from "./proposals/token.ts";
import {
  type Asked,
  advice,
  assumption,
  filled,
  type Proposal,
  placesOf,
  type Rule,
  type Smallest,
  said,
  sentence,
  setAt,
  valuesOf,
} from "./rule.ts";

const ORDER = sentence("Bookings: of several 409 reasons the order is state, cut-off, exclusivity, resources");
const CHECK_ORDER = assumption("booking-check-order");

/** A value of the refusal put where another of them stands. */
const to =
  (value: string, at: string, text: string): Smallest =>
  (asked) => {
    const values = valuesOf(asked);
    const places = placesOf(asked, values[at]);
    const words = filled(text, values);
    return [
      places.length === 0 ? advice(words) : { text: words, set: setAt(places, asked.refused.values[0]?.[value]) },
    ];
  };

const withoutRefund: Smallest = () => [{ text: "Void it without a refund.", set: { "body.refund": false } }];

/** A rule of the domain that has no advice does not compile. */
type Explained = Rule & { smallest: Smallest };

export const domainRules: Record<DomainErrorCode, Explained> = {
  BAD_REQUEST: { rests_on: [assumption("error-codes")], looked: "{what}", smallest: said("{what}") },
  NOT_FOUND: {
    rests_on: [sentence("Errors: what does not exist answers 404"), assumption("other-company")],
    looked: "no {kind} has the id {id} in this world",
    smallest: records.otherId,
  },
  LANGUAGE_NOT_AVAILABLE: {
    rests_on: [
      sentence("Languages: a header that matches nothing answers 406"),
      assumption("language-mismatch"),
      assumption("language"),
    ],
    looked: "Accept-Language: {requested}; the storefront speaks {offered}",
    smallest: offeredLanguage,
  },
  EVENT_NOT_FOUND: {
    rests_on: [sentence("Bookings: an event nobody knows answers 400"), assumption("booking-event-unknown")],
    looked: "no event has the id {event_id}",
    smallest: booking.knownEvent,
  },
  INVALID_ITEM: {
    rests_on: [
      sentence("Bookings: an item that is not offered answers 400 INVALID_ITEM"),
      assumption("booking-item-unknown"),
    ],
    looked: "{path}: {what}",
    smallest: items.offeredItems,
  },
  INVALID_INPUT: { rests_on: [assumption("violations")], looked: "{path}: {what}", smallest: readable },
  EXPIRY_NOT_LATER: {
    rests_on: [sentence("Gift cards: an earlier or past expiry answers 400"), assumption("gift-card-extend-codes")],
    smallest: laterExpiry,
  },
  EVENT_NOT_ACTIVE: {
    rests_on: [sentence("Bookings: an event that is not ACTIVE answers 409 EVENT_NOT_ACTIVE"), ORDER, CHECK_ORDER],
    smallest: booking.notActive,
  },
  EVENT_PAST_CUTOFF: {
    rests_on: [sentence("Bookings: after the cut-off a booking answers 409 EVENT_PAST_CUTOFF"), ORDER, CHECK_ORDER],
    looked: "it could be booked until {cutoff}; it is {now}",
    smallest: booking.beforeCutoff,
  },
  EVENT_EXCLUSIVITY_LOCKED: {
    rests_on: [
      sentence("Bookings: an event held exclusively answers 409 EVENT_EXCLUSIVITY_LOCKED"),
      ORDER,
      CHECK_ORDER,
    ],
    smallest: booking.unlocked,
  },
  NOT_ENOUGH_RESOURCES: {
    rests_on: [
      sentence("Bookings: a booking that does not fit answers 409 NOT_ENOUGH_RESOURCES"),
      assumption("booking-resources"),
      CHECK_ORDER,
    ],
    looked: "{what}",
    smallest: items.fewer,
  },
  GIFT_CARD_NOT_ACTIVE: {
    rests_on: [
      sentence("Gift cards: EXPIRED, SPENT and VOIDED are final; extending answers 409"),
      assumption("gift-card-extend-codes"),
    ],
    looked: "{gift_card_id} is {status}",
    smallest: records.activeCard,
  },
  SUBSCRIPTION_EXISTS: {
    rests_on: [
      sentence("Webhook subscriptions: a second enabled one for the same address and kind answers 409"),
      assumption("subscription-conflict"),
    ],
    smallest: otherKinds,
  },
  NOTHING_SUITABLE: { rests_on: [], looked: "{what}", smallest: records.somethingToTell },
  WRONG_STATE: {
    rests_on: [assumption("booking-transitions"), assumption("event-transitions"), assumption("tickets")],
    looked: "{kind} {id} is {state}; it must be {from}",
    smallest: records.otherState,
  },
  ID_TAKEN: {
    rests_on: [assumption("ids")],
    looked: "another {kind} has the id {id}",
    smallest: records.withoutId("id"),
  },
  CODE_TAKEN: {
    rests_on: [assumption("gift-card-fields")],
    looked: "the code {code} names a gift card already",
    smallest: records.withoutId("code"),
  },
  HAS_ACTIVE_BOOKINGS: {
    rests_on: [sentence("Experiences: an experience with active bookings can't be deleted")],
    looked: "{kind} {id} has {count} active bookings",
    smallest: records.cancelledFirst,
  },
  EVENT_LOCKED_ALREADY: { rests_on: [assumption("lock-released")], smallest: booking.unlocked },
  EVENT_NOT_LOCKED: {
    rests_on: [assumption("lock-released")],
    looked: "event {event_id} is not locked",
    smallest: said("There is nothing to unlock."),
  },
  BOOKING_ON_OTHER_EVENT: {
    rests_on: [assumption("availability-shape")],
    looked: "booking {booking_id} is for event {event_id}, not {other}",
    smallest: to("event_id", "other", "Name event {event_id}, which the booking is for."),
  },
  EVENT_HAS_ENDED: {
    rests_on: [assumption("event-transitions")],
    looked: "its last session ends {ended}; it is {now}",
    smallest: said("Give it a session that ends later, or an earlier clock (`sandbox rewind`)."),
  },
  CAPACITY_BELOW_SOLD: {
    rests_on: [sentence("Events: the capacity may not fall below what is reserved")],
    smallest: to("reserved", "capacity", "At least {reserved} seats: so many are reserved."),
  },
  EXPERIENCE_NOT_ACTIVE: {
    rests_on: [sentence("Experiences: an archived experience can be read but not booked")],
    looked: "experience {experience_id} is {state}",
    smallest: (asked) => records.recordIn(asked, "experience", valuesOf(asked).experience_id ?? "", ["ACTIVE"]),
  },
  OTHER_EXPERIENCE: { rests_on: [assumption("booking-move")], smallest: booking.movableTo },
  SAME_EVENT: { rests_on: [assumption("booking-move")], smallest: booking.movableTo },
  ITEMS_ONLY_GROW: {
    rests_on: [assumption("booking-transitions")],
    looked: "it holds {held} of {type_id}; {wanted} were asked for",
    smallest: items.growingItems,
  },
  NO_TICKETS_LEFT: {
    rests_on: [assumption("tickets")],
    looked: "booking {booking_id} has no ACTIVE ticket for that",
    smallest: said("Book anew."),
  },
  SLOT_NOT_FREE: {
    rests_on: [assumption("timeslots")],
    looked: "no free timeslot at {start_time}",
    smallest: items.freeSlot,
  },
  SLOT_SKIPPED: {
    rests_on: [assumption("timeslots"), assumption("local-time")],
    looked: "{start_time} does not exist in {timezone}: the clocks go forward then",
    smallest: items.freeSlot,
  },
  LOCATION_REMOVED: {
    rests_on: [sentence("Locations: a removed location answers 404")],
    looked: "location {location_id} was removed",
    smallest: records.otherLocation,
  },
  ORDER_NOT_PAYABLE: {
    rests_on: [assumption("order-transitions")],
    smallest: said("Money can't be paid for a cancelled order: make a new booking."),
  },
  AMOUNT_TOO_HIGH: { rests_on: [assumption("transaction"), assumption("refund")], smallest: money.openAmount },
  NOTHING_TO_PAY: {
    rests_on: [assumption("payment-transitions")],
    smallest: said("Nothing is open; there is nothing to do."),
  },
  NOTHING_TO_REFUND: {
    rests_on: [assumption("refund")],
    looked: "{why}",
    smallest: said("Nothing can be paid back; there is nothing to do."),
  },
  TICKET_OF_OTHER_ORDER: {
    rests_on: [sentence("Orders: a refund of one ticket takes what that ticket cost")],
    looked: "ticket {ticket_id} is not of order {order_id}",
    smallest: money.ticketOfOrder,
  },
  TRANSACTION_NOT_FOUND: {
    rests_on: [sentence("Errors: what does not exist answers 404")],
    looked: "order {order_id} has no {kind} {id}",
    smallest: money.partOfOrder,
  },
  CURRENCY_MISMATCH: {
    rests_on: [assumption("currencies"), assumption("experience-currency")],
    looked: "{given} was given; {wanted} is needed",
    smallest: money.oneCurrency,
  },
  GIFT_CARD_BALANCE_TOO_LOW: { rests_on: [assumption("gift-card-spent")], smallest: money.balanceAmount },
  GIFT_CARD_HAS_NO_ORDER: {
    rests_on: [assumption("gift-card-given")],
    looked: "gift card {gift_card_id} was given by the host, not bought",
    smallest: withoutRefund,
  },
  GIFT_CARD_OF_REFUND: {
    rests_on: [assumption("gift-card-voided")],
    looked: "gift card {gift_card_id} was made for a refund of order {order_id}",
    smallest: withoutRefund,
  },
  GIFT_CARD_ORDER: {
    rests_on: [assumption("gift-card-voided")],
    smallest: said("Pay it back by the act voidGiftCard with `refund: true`."),
  },
  DOCUMENT_NOT_OF_KIND: {
    rests_on: [assumption("journal-documents")],
    looked: "a {kind} takes no {type}",
    smallest: money.documentFor,
  },
  DOCUMENT_EXISTS: {
    rests_on: [assumption("journal-documents")],
    looked: "entry {journal_entry_id} has its {type}",
    smallest: said("It is attached already; there is nothing to do."),
  },
  SCOPE_UNKNOWN: {
    rests_on: [assumption("scopes")],
    looked: "no scope is called {scope}",
    smallest: (asked) => {
      const { path = "", scope = "", known = "" } = valuesOf(asked);
      const near = nearest(scope, known.split(", ")) ?? known.split(", ").at(-1);
      return [{ text: `The nearest scope is ${near}.`, set: { [path]: near } }];
    },
  },
  MOMENT_UNKNOWN: {
    rests_on: [],
    looked: "{what}",
    smallest: said("Name a moment that `sandbox history` lists, an instant that has passed, or a snapshot."),
  },
  MOMENT_NOT_KEPT: {
    rests_on: [],
    looked: "{moment}; the history begins at {seq}",
    smallest: said("Name a moment from {seq} on; --history-commits and --history-bytes keep more."),
  },
  JOB_IS_ANOTHER: {
    rests_on: [],
    looked: "the job {job}, which is for {first}",
    smallest: said("Ask for {first}, or give another id."),
  },
  WORLD_WAS_RESET: {
    rests_on: [],
    looked: "world {world_id} was put back while the request ran",
    smallest: said("Send it again."),
  },
  SERVICE_UNAVAILABLE: { rests_on: [assumption("error-codes")], looked: "{what}", smallest: said("{what}") },
  FIXTURE_NOT_HERE: {
    rests_on: [],
    looked: "{fixture} is no fixture of this sandbox",
    smallest: said("Start the sandbox with --fixture {fixture}, or import a document into world {world_id}."),
  },
  KEY_REVOKED: {
    rests_on: [sentence("Authentication: a revoked key's tokens answer 401")],
    looked: "key {client_id} was revoked at {at}",
    smallest: revokedKey,
  },
};

/** The kinds that no other subscription has for this address; otherwise not enabled. */
function otherKinds(asked: Asked): Proposal[] {
  const { kinds = "", subscription_id } = valuesOf(asked);
  const { event_types = [] } = (asked.body ?? {}) as { event_types?: string[] };
  const rest = event_types.filter((kind) => !kinds.split(", ").includes(kind));
  return [
    ...(rest.length > 0
      ? [{ text: `Leave out what ${subscription_id} sends already.`, set: { "body.event_types": rest } }]
      : []),
    { text: `Make it DISABLED, or change ${subscription_id} instead.`, set: { "body.state": "DISABLED" } },
  ];
}
