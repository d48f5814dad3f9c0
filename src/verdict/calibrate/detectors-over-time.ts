// What only several answers tell together: an order and its lines, a record before and after, a list and what is known to be in it.
import {
  callsOf,
  clockAt,
  codeOf,
  type Detector,
  type Detectors,
  type Exchange,
  list,
  member,
  type Observation,
  observationsOf,
  type Shape,
  type Sighting,
  see,
  succeeded,
  type Traffic,
} from "./traffic.ts";

const bookings = (traffic: Traffic) => observationsOf(traffic, "listBookings", "getBooking");
const orders = (traffic: Traffic) => observationsOf(traffic, "listOrders", "getOrder");
const events = (traffic: Traffic) => observationsOf(traffic, "listEvents", "getEvent");
const cards = (traffic: Traffic) => observationsOf(traffic, "listGiftCards", "getGiftCard");
const entries = (traffic: Traffic) => observationsOf(traffic, "listJournalEntries", "getJournalEntry");
const amount = (price: unknown): number => Number(member(price, "value") ?? 0);

/** The bookings that the traffic itself makes: those of the integration. */
const ownBookings = (traffic: Traffic): Set<unknown> =>
  new Set(
    callsOf(traffic, "createBooking")
      .filter(succeeded)
      .map(({ output }) => member(output, "id")),
  );

// Money is only followed where the traffic itself has booked: of other orders nobody knows the beginning.
const ownOrders = (traffic: Traffic): Observation[] => {
  const own = ownBookings(traffic);
  return orders(traffic).filter(({ record }) => own.has(member(record.origin, "id")));
};

// One sighting for each record that tells something.
const of = (
  observed: Observation[],
  read: (record: Shape, exchange: Exchange) => readonly string[] | string | undefined,
) =>
  observed.flatMap(({ record, exchange }): Sighting[] => {
    const fits = read(record, exchange);
    return fits === undefined ? [] : [see(exchange, ...[fits].flat())];
  });

/** Two answers about the same record, one after the other. */
const pairs = (observed: Observation[]): { before: Shape; after: Shape; exchange: Exchange }[] => {
  const known = new Map<unknown, Shape>();
  return observed.flatMap(({ record, exchange }) => {
    const before = known.get(record.id);
    known.set(record.id, record);
    return before ? [{ before, after: record, exchange }] : [];
  });
};

const without = (record: Shape, ...names: string[]): string =>
  JSON.stringify(Object.entries(record).filter(([name]) => !names.includes(name)));

const linesOf = (traffic: Traffic, orderId: unknown): Shape[] | undefined => {
  const call = callsOf(traffic, "listOrderLineItems").findLast(
    (each) => succeeded(each) && each.params.orderId === orderId,
  );
  return call && list(member(call.output, "items"));
};

// The same id with another event, or an old booking that says MOVED and a new one beside it.
const moved: Detector = (traffic) =>
  pairs(bookings(traffic)).flatMap(({ before, after, exchange }) => {
    if (before.status !== "MOVED" && after.status === "MOVED") return [see(exchange, "new-booking")];
    return before.event_id === after.event_id ? [] : [see(exchange, "same-booking")];
  });

/** A list that begins exactly where a record was made. */
const listWindow: Detector = (traffic) =>
  [
    { calls: callsOf(traffic, "listBookings"), known: bookings(traffic) },
    { calls: callsOf(traffic, "listOrders"), known: orders(traffic) },
  ].flatMap(({ calls, known }) =>
    calls.filter(succeeded).flatMap((exchange) => {
      const given = new Map(exchange.query);
      const from = Date.parse(given.get("from") ?? "");
      const isAt = ({ created_at }: Shape) => Date.parse(String(created_at)) === from;
      const items = list(member(exchange.output, "items"));
      if (items.some(isAt)) return [see(exchange, "from-inclusive")];
      // A list with another filter, or with a second page, may lack the record for another reason.
      const isWhole =
        !member(exchange.output, "next") && [...given.keys()].every((name) => ["from", "sort", "limit"].includes(name));
      const earlier = known.filter((each) => before(traffic, each.exchange, exchange));
      return isWhole && earlier.some(({ record }) => isAt(record)) ? [see(exchange, "from-exclusive")] : [];
    }),
  );

const before = ({ exchanges }: Traffic, one: Exchange, other: Exchange) =>
  exchanges.indexOf(one) < exchanges.indexOf(other);

// An order without an amount is paid from the start, and tells nothing.
const paid: Detector = (traffic) =>
  of(ownOrders(traffic), ({ payment_status, totals }) => {
    if (amount(member(totals, "amount")) === 0) return undefined;
    return payment_status === "UNPAID" ? "unpaid" : "paid-by-integration";
  });

const integrationRefunds: Detector = (traffic) => [
  ...of(ownOrders(traffic), ({ status, payment_status }) => {
    if (status !== "CANCELLED" || payment_status === "UNPAID") return undefined;
    return payment_status === "PAID" ? "none" : "unknown";
  }),
  ...of(observationsOf(traffic, "listOrderRefunds"), ({ provider }) =>
    provider === "UNKNOWN" ? "unknown" : undefined,
  ),
];

const fees: Detector = (traffic) => {
  const own = ownBookings(traffic);
  return orders(traffic).flatMap(({ record, exchange }) => {
    const fee = linesOf(traffic, record.id)?.find(({ product_type }) => product_type === "BOOKING_FEE");
    if (!fee) return [];
    // A fee on an order of the integration answers the question at once.
    if (own.has(member(record.origin, "id"))) return [see(exchange, "charged-on-integrations")];
    if (record.status !== "CANCELLED") return [];
    if (record.payment_status === "REFUNDED") return [see(exchange, "guest-checkouts", "charged-on-integrations")];
    const refunds = observationsOf(traffic, "listOrderRefunds").filter(
      (each) => each.exchange.params.orderId === record.id,
    );
    const back = refunds.reduce((sum, each) => sum + amount(each.record.amount), 0);
    // What was refunded is everything but the fee.
    const rest = amount(member(record.totals, "amount")) - amount(fee.unit_price);
    return refunds.length > 0 && back === rest ? [see(exchange, "never-refunded")] : [];
  });
};

/** The VAT of single, undiscounted lines is that of their units; rounded over the whole order it may be less or more. */
const rounding: Detector = (traffic) =>
  of(orders(traffic), ({ id, totals, status }) => {
    const lines = linesOf(traffic, id) ?? [];
    const isPlain = lines.every(({ quantity, discounts }) => quantity === 1 && list(discounts).length === 0);
    if (lines.length < 2 || !isPlain || status === "CANCELLED") return undefined;
    const gross = lines.reduce((sum, { unit_price }) => sum + amount(unit_price), 0);
    const byLine = lines.reduce((sum, { unit_vat_amount }) => sum + amount(unit_vat_amount), 0);
    const vat = amount(member(totals, "vat_amount"));
    const isWhole = gross === amount(member(totals, "amount"));
    const byOrder = new Set(ratesOf(lines).map((rate) => Math.round((gross * rate) / (1 + rate))));
    if (!isWhole || byOrder.size === 0 || byOrder.has(byLine)) return undefined;
    if (vat === byLine) return ["half-up-per-line", "half-even"];
    return byOrder.has(vat) ? "per-order" : [];
  });

/** The rates, in half per cents, under which every line has the VAT that it shows. */
function ratesOf(lines: readonly Shape[]): number[] {
  // 0 to 30 %, in steps of half a per cent.
  const rates = Array.from({ length: 61 }, (_, index) => index / 200);
  return rates.filter((rate) =>
    lines.every((line) => Math.round((amount(line.unit_price) * rate) / (1 + rate)) === amount(line.unit_vat_amount)),
  );
}

const lines: Detector = (traffic) =>
  of(observationsOf(traffic, "listOrderLineItems"), ({ product_type, details }) =>
    product_type === "TICKET" ? (member(details, "ticket_id") === undefined ? "per-variant" : "listed") : undefined,
  );

/** An event of the past that is still closed, by the latest instant that the service has shown. */
const inactiveEvents: Detector = (traffic) =>
  events(traffic).flatMap(({ record, exchange }) => {
    const ends = list(record.sessions).map(({ end_time }) => Date.parse(`${String(end_time)}Z`));
    // A zone is at most 14 hours off.
    const isOver = ends.length > 0 && Math.max(...ends) + 14 * 3_600_000 < clockAt(traffic, exchange);
    return isOver && record.state === "INACTIVE" ? [see(exchange, "inactive-stays")] : [];
  });

const sessions: Detector = (traffic) =>
  of(events(traffic), (event) => {
    const spans = list(event.sessions).map(
      ({ start_time, end_time }) => [String(start_time), String(end_time)] as const,
    );
    // A session that begins while another one lasts.
    const isOver = spans.some(([start], one) =>
      spans.some(([from, to], other) => one !== other && from <= start && start < to),
    );
    return isOver ? "overlap-allowed" : undefined;
  });

/** Available although a constraint fails; or not available, and yet the next booking of it is taken. */
const eventAvailability: Detector = (traffic) =>
  observationsOf(traffic, "getEventAvailability", "listEventAvailabilities").flatMap(({ record, exchange }) => {
    const failing = list(record.constraints).filter(({ available }) => available === false);
    if (failing.length === 0) return [];
    if (record.available === true) return [see(exchange, "constraints")];
    const next = callsOf(traffic, "createBooking").find(
      (call) => before(traffic, exchange, call) && member(call.input, "event_id") === record.event_id,
    );
    // A resource may serve several events, so its limit need not be that of this one.
    const isShared = failing.every(({ type }) => type === "RESOURCE_LIMIT");
    return isShared && next && succeeded(next) ? [see(exchange, "any-constraint")] : [];
  });

const reactivated: Detector = (traffic) => [
  ...pairs(cards(traffic)).flatMap(({ before, after, exchange }) =>
    before.status === "SPENT" && after.status === "ACTIVE" ? [see(exchange, "card-reactivated")] : [],
  ),
  ...of(observationsOf(traffic, "listOrderRefunds"), ({ provider, details }, exchange) => {
    const spent = cards(traffic).some(
      (card) => card.record.status === "SPENT" && before(traffic, card.exchange, exchange),
    );
    return spent && provider === "SETTLEMENT" && details ? "same-card-or-new" : undefined;
  }),
];

const expired: Detector = (traffic) =>
  of(cards(traffic), ({ status, balance }) =>
    status === "EXPIRED" ? (amount(balance) === 0 ? "balance-zero" : "at-expires-at") : undefined,
  );

/** A card that nobody bought: its first entry is an adjustment, its last one ends it. */
const given: Detector = (traffic) =>
  cards(traffic).flatMap(({ record, exchange }) => {
    const own = new Map(
      entries(traffic).flatMap(({ record: entry }) =>
        entry.gift_card_id === record.id ? [[entry.id, entry.kind]] : [],
      ),
    );
    const kinds = [...own.values()];
    if (record.status !== "EXPIRED" || !kinds.includes("ADJUSTMENT") || kinds.includes("SALE")) return [];
    if (kinds.includes("BREAKAGE")) return [see(exchange, "breakage")];
    return kinds.length === 2 && kinds.every((kind) => kind === "ADJUSTMENT") ? [see(exchange, "written-back")] : [];
  });

const documents: Detector = (traffic) =>
  entries(traffic).flatMap(({ record, exchange }) => {
    if (record.kind !== "SALE" && record.kind !== "REFUND") return [];
    const booked = Date.parse(String(record.created_at));
    const [first] = list(record.documents);
    if (!first) return clockAt(traffic, exchange) > booked + 120_000 ? [see(exchange, "never")] : [];
    // A second on either side, since both instants are rounded.
    const apart = Date.parse(String(first.created_at)) - booked;
    return [see(exchange, ...(apart < 1000 ? ["at-once"] : apart <= 61_000 ? ["after-a-minute"] : ["never"]))];
  });

const conflicts: Detector = (traffic) => {
  const open = new Map<unknown, { url: unknown; kinds: unknown[] }>();
  return callsOf(
    traffic,
    "createWebhookSubscription",
    "replaceWebhookSubscription",
    "deleteWebhookSubscription",
  ).flatMap((exchange) => {
    const id = exchange.params.subscriptionId ?? member(exchange.output, "id");
    if (codeOf(exchange) === "SUBSCRIPTION_EXISTS" && exchange.status === 409) return [see(exchange, "409")];
    if (!succeeded(exchange)) return [];
    open.delete(id);
    const [url, kinds] = [member(exchange.input, "url"), member(exchange.input, "event_types")];
    if (exchange.operation.id === "deleteWebhookSubscription" || member(exchange.output, "state") !== "ENABLED")
      return [];
    const own = Array.isArray(kinds) ? kinds : [];
    const isTwice = [...open.values()].some(
      (each) => each.url === url && each.kinds.some((kind) => own.includes(kind)),
    );
    open.set(id, { url, kinds: own });
    return isTwice ? [see(exchange, "never")] : [];
  });
};

/** Seats were taken and nothing else changed: whether that counts as an update. */
const capacity: Detector = (traffic) =>
  pairs(events(traffic)).flatMap(({ before, after, exchange }) => {
    const isSeatsOnly =
      without(before, "capacity", "updated_at") === without(after, "capacity", "updated_at") &&
      member(before, "capacity", "total") === member(after, "capacity", "total") &&
      member(before, "capacity", "reserved") !== member(after, "capacity", "reserved");
    if (!isSeatsOnly) return [];
    if (before.updated_at !== after.updated_at) return [see(exchange, "event-updated")];
    // At the very instant of the last update nobody can tell.
    return clockAt(traffic, exchange) > Date.parse(String(after.updated_at)) ? [see(exchange, "none")] : [];
  });

/** A subscription that is replaced by itself. */
const noOp: Detector = (traffic) => {
  const ids = ["createWebhookSubscription", "getWebhookSubscription", "listWebhookSubscriptions"];
  return pairs(observationsOf(traffic, ...ids, "replaceWebhookSubscription")).flatMap(({ before, after, exchange }) => {
    const isSame = without(before, "updated_at", "secret") === without(after, "updated_at", "secret");
    if (exchange.operation.id !== "replaceWebhookSubscription" || !isSame) return [];
    if (before.updated_at !== after.updated_at) return [see(exchange, "told")];
    return clockAt(traffic, exchange) > Date.parse(String(after.updated_at)) ? [see(exchange, "untold")] : [];
  });
};

/** The webhook of a booking that a read shows as moved. */
const moveKinds: Detector = (traffic) => {
  const gone = new Set(bookings(traffic).flatMap(({ record }) => (record.status === "MOVED" ? [record.id] : [])));
  return traffic.deliveries.flatMap((delivery) => {
    if (!gone.has(member(delivery.input, "payload", "booking_id"))) return [];
    const kind = member(delivery.input, "type");
    if (kind === "v1.booking.cancelled") return [see(delivery, "cancelled-and-created")];
    return kind === "v1.booking.updated" ? [see(delivery, "updated-and-created")] : [];
  });
};

/** A receiver's 204 that was not enough: the same message was sent again. */
const success: Detector = ({ deliveries }) =>
  deliveries.flatMap((delivery, index) => {
    const isOther = delivery.status > 200 && delivery.status < 300;
    const again = deliveries
      .slice(index + 1)
      .some(({ headers }) => headers["webhook-id"] === delivery.headers["webhook-id"]);
    return isOther && again ? [see(delivery, "200")] : [];
  });

/** By the id of an assumption. */
export const overTime: Detectors = {
  "booking-money": paid,
  "booking-move": moved,
  "booking-list-window": listWindow,
  "event-sessions": sessions,
  "event-transitions": inactiveEvents,
  "event-availability-shape": eventAvailability,
  "line-item": lines,
  "refund-of-integration": integrationRefunds,
  "money-rounding": rounding,
  "refund-to-card": reactivated,
  "booking-fee": fees,
  "gift-card-expired": expired,
  "gift-card-given": given,
  "journal-documents": documents,
  "subscription-conflict": conflicts,
  "capacity-kind": capacity,
  "no-op-update": noOp,
  "move-kinds": moveKinds,
  "delivery-success": success,
};
