// Every error of the rules in one table: code, status, and a sentence that says what happened, with which value, and what to do.
// The codes are those of the heading "Errors" and of the assumption error-codes; acts answer 409 where a rule stands against them.

/** What an error names. */
export type Values = Readonly<Record<string, string | number | undefined>>;

export const domainErrors = {
  BAD_REQUEST: [400, "{what}"],
  NOT_FOUND: [404, "There is no {kind} {id}. Check the id, and that it belongs to the company of this credential."],
  LANGUAGE_NOT_AVAILABLE: [
    406,
    "None of the languages asked for ({requested}) is in the storefront. It speaks: {offered}.",
  ],
  EVENT_NOT_FOUND: [400, "body.event_id: there is no event {event_id}. Take an id from GET /v1/events."],
  INVALID_ITEM: [400, "{path}: {what}"],
  INVALID_INPUT: [400, "{path}: {what}"],
  EXPIRY_NOT_LATER: [
    400,
    "{path} is {requested}, but the gift card expires at {current} and it is {now} now. Ask for a later instant.",
  ],

  EVENT_NOT_ACTIVE: [409, "Event {event_id} can't be booked: {why}. Choose an ACTIVE event of an ACTIVE experience."],
  EVENT_PAST_CUTOFF: [409, "{event} could be booked until {cutoff}; it is {now} now. Choose a later one."],
  EVENT_EXCLUSIVITY_LOCKED: [409, "Event {event_id} is held exclusively by one booking. Choose another event."],
  NOT_ENOUGH_RESOURCES: [409, "{what}. {todo}"],
  GIFT_CARD_NOT_ACTIVE: [
    409,
    "Gift card {gift_card_id} is {status}, which is final. Only an ACTIVE card can be used or changed.",
  ],
  SUBSCRIPTION_EXISTS: [
    409,
    "Subscription {subscription_id} already sends {kinds} to {url}. Change that one, or leave those kinds out.",
  ],

  NOTHING_SUITABLE: [409, "Nothing here can cause {kind}: {what}"],
  WRONG_STATE: [409, "{kind} {id} is {state} and can't {wanted}. Allowed in: {from}."],
  ID_TAKEN: [409, "Another {kind} has the id {id}. Leave `id` out, or choose another."],
  CODE_TAKEN: [409, "The code {code} already names a gift card. Leave `code` out, or choose another."],
  HAS_ACTIVE_BOOKINGS: [409, "{kind} {id} still has active bookings ({count}). Cancel or move them first."],
  EVENT_LOCKED_ALREADY: [409, "Event {event_id} is locked by booking {booking_id}. Unlock it first."],
  EVENT_NOT_LOCKED: [409, "Event {event_id} is not locked, so there is nothing to unlock."],
  BOOKING_ON_OTHER_EVENT: [
    409,
    "Booking {booking_id} is for event {event_id}, not {other}. Name a booking of the same event.",
  ],
  EVENT_HAS_ENDED: [409, "{event} would have ended at {ended}; it is {now} now. Give it a session that ends later."],
  CAPACITY_BELOW_SOLD: [
    409,
    "Event {event_id} has {reserved} seats reserved, more than the {capacity} asked for. Ask for at least {reserved}.",
  ],
  EXPERIENCE_NOT_ACTIVE: [409, "Experience {experience_id} is {state}. Only an ACTIVE experience takes new events."],
  OTHER_EXPERIENCE: [
    409,
    "Event {event_id} belongs to experience {experience_id}, the booking to {other}. Move it within its experience.",
  ],
  SAME_EVENT: [409, "Booking {booking_id} is for event {event_id} already. Name another event."],
  ITEMS_ONLY_GROW: [
    409,
    "Booking {booking_id} holds {held} of {type_id}, more than the {wanted} asked for. Items only grow; void a ticket instead.",
  ],
  NO_TICKETS_LEFT: [409, "Booking {booking_id} has no ACTIVE ticket left for that. Book anew instead."],
  SLOT_NOT_FREE: [
    409,
    "Experience {experience_id} offers no free timeslot at {start_time}. Take a start from its availabilities.",
  ],
  SLOT_SKIPPED: [
    409,
    "There is no timeslot at {start_time}: the clocks of {timezone} skip that hour. Take a start from its availabilities.",
  ],
  LOCATION_REMOVED: [409, "Location {location_id} was removed. Name one that is still there."],

  ORDER_NOT_PAYABLE: [409, "Order {order_id} is {status} and takes no money. Pay an order that is not cancelled."],
  AMOUNT_TOO_HIGH: [409, "{amount} is more than the {open} that is open on {kind} {id}. Name at most that."],
  NOTHING_TO_PAY: [409, "Order {order_id} has nothing open to pay. Look at its payment_status first."],
  NOTHING_TO_REFUND: [409, "Nothing of order {order_id} can be paid back: {why}."],
  TICKET_OF_OTHER_ORDER: [
    409,
    "Ticket {ticket_id} does not belong to order {order_id}. Name a ticket of the order's booking.",
  ],
  TRANSACTION_NOT_FOUND: [404, "Order {order_id} has no {kind} {id}. Take an id from its list."],
  CURRENCY_MISMATCH: [409, "{given} can't settle {wanted}. Use one currency throughout."],
  GIFT_CARD_BALANCE_TOO_LOW: [
    409,
    "Gift card {gift_card_id} holds {balance}, less than the {amount} asked for. Take at most its balance.",
  ],
  GIFT_CARD_HAS_NO_ORDER: [
    409,
    "Gift card {gift_card_id} was not bought, so no money can go back for it. Void it without refund.",
  ],
  GIFT_CARD_OF_REFUND: [
    409,
    "Gift card {gift_card_id} was made for a refund of order {order_id}: nothing was paid for it that could go back. Void it without refund.",
  ],
  GIFT_CARD_ORDER: [409, "Order {order_id} bought a gift card. Pay it back by voiding the card with `refund: true`."],
  DOCUMENT_NOT_OF_KIND: [
    409,
    "Journal entry {journal_entry_id} ({kind}) takes no {type}. A RECEIPT belongs to a SALE, a CREDIT_NOTE to a REFUND.",
  ],
  DOCUMENT_EXISTS: [409, "Journal entry {journal_entry_id} has its {type} already. One document of a type is enough."],
  SCOPE_UNKNOWN: [400, "{path}: there is no scope {scope}. Known: {known}."],
  MOMENT_UNKNOWN: [404, "{what}"],
  MOMENT_NOT_KEPT: [
    409,
    "{moment} is not kept: the history of world {world_id} begins with {seq}, at {at}, since {why}.",
  ],
  JOB_IS_ANOTHER: [
    409,
    "The job {job} of world {world_id} was asked for with {first}. Ask for the same, or give the other job another id.",
  ],
  WORLD_WAS_RESET: [409, "World {world_id} was reset while this request was running. Send it again."],
  SERVICE_UNAVAILABLE: [503, "{what}"],
  FIXTURE_NOT_HERE: [
    409,
    "World {world_id} began with the fixture {fixture}, which is neither one of this sandbox nor the folder it was started with. Start it with --fixture {fixture} to reset the world, or import a document.",
  ],
  KEY_REVOKED: [409, "Key {client_id} was revoked at {at}, which is final. Create a new one."],
} as const satisfies Record<string, readonly [number, string]>;

export type DomainErrorCode = keyof typeof domainErrors;

/** A message names at most this many violations, and the number of the others. */
export const MOST_NAMED = 100;

/** `more`: whether there may be more than were counted. */
export function inOneMessage(sentences: readonly string[], count = sentences.length, more = false): string {
  const rest = count > MOST_NAMED ? [`And ${more ? "at least " : ""}${count - MOST_NAMED} more.`] : [];
  return [...sentences.slice(0, MOST_NAMED), ...rest].join(" ");
}

/** A rule rejects a change: thrown, so that the transaction is rolled back. */
export class DomainError extends Error {
  readonly code: DomainErrorCode;
  readonly status: number;
  /** What each sentence names. */
  readonly values: readonly Values[];
  /** One sentence for each violation. */
  readonly sentences: readonly string[];
  constructor(code: DomainErrorCode, values: Values | readonly Values[], status?: number) {
    const [defaultStatus, sentence] = domainErrors[code];
    const all = [values].flat();
    const sentences = all
      .slice(0, MOST_NAMED)
      .map((each: Values) => sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(each[name] ?? "")));
    super(inOneMessage(sentences, all.length));
    this.name = "DomainError";
    this.code = code;
    this.status = status ?? defaultStatus;
    this.values = all.slice(0, MOST_NAMED);
    this.sentences = sentences;
  }
}

export function reject(code: DomainErrorCode, values: Values | readonly Values[] = {}): never {
  throw new DomainError(code, values);
}

/** The record, or the 404 that names it. */
export function found<R>(record: R | undefined, kind: string, id: string): R {
  return record ?? reject("NOT_FOUND", { kind, id });
}
