// The acts of guests and hosts for each row of `business` in spec/soak.yaml. A row chooses among the records of the sandbox, and returns no
// acts if it finds none. An act that is not possible is rejected by the sandbox.
import type { Control } from "../../client/control.ts";
import { type CollectionName, readRecords } from "../worlds.ts";
import type { Fields } from "./compare.ts";
import { type Business, createDraw, DAY, type Draw, HOUR, MINUTE } from "./plan.ts";

/** An act of the control API. */
interface Act {
  act: string;
  input: Fields;
  /** Milliseconds after the step. */
  later?: number;
}

interface StoredEvent {
  id: string;
  experience_id: string;
  capacity: { total: number; reserved: number };
  sessions: readonly { start_time: string; end_time: string; starts_at: string }[];
  cutoff_at: string;
}
interface StoredBooking {
  id: string;
  event_id: string;
  order_id: string;
  items: readonly { type_id: string; quantity: number }[];
}
/** An event that is open for bookings, and a variant of it that takes one seat. */
type Offer = StoredEvent & { variant: string };

/** The id of a record that a row creates begins with this. */
const PREFIX = "soak-";

/** One occasion of a row. */
export class Occasion {
  readonly draw: Draw;
  /** The id of the record that the row creates. */
  readonly id: string;

  constructor(
    readonly control: Control,
    /** The seed, the row and the number of the occasion. Equal paths choose and draw the same. */
    readonly path: string,
    /** On the world's clock, in milliseconds since 1970. */
    readonly now: number,
    /** The bookings that the program created. */
    readonly ofProgram: ReadonlySet<string>,
  ) {
    this.draw = createDraw(path);
    this.id = `${PREFIX}${path.split("/").at(-1)}`;
  }

  async read<T>(collection: CollectionName, ...where: string[]): Promise<(T & { id: string })[]> {
    return (await readRecords(this.control, collection, where)) as unknown as (T & { id: string })[];
  }

  /** Chooses by a hash of each id, so that a soak of fewer steps chooses the same record. */
  choose<T extends { id: string }>(records: readonly T[]): T | undefined {
    const rank = ({ id }: T) => createDraw(`${this.path}/${id}`).share();
    const [best] = records.map((record) => ({ record, rank: rank(record) })).sort((a, b) => a.rank - b.rank);
    return best?.record;
  }

  /** Chooses an event that is open for bookings, and has at least one seat left. */
  async chooseOffer(fits: (offer: Offer) => boolean = () => true): Promise<Offer | undefined> {
    type Experience = { ticket_variants?: readonly { id: string; seats?: number }[] };
    const experiences = await this.read<Experience>("experiences", "state=ACTIVE");
    const variants = new Map(
      experiences.map(({ id, ticket_variants = [] }) => [id, ticket_variants.find(({ seats = 1 }) => seats === 1)?.id]),
    );
    const offers = (await this.read<StoredEvent>("events", "state=ACTIVE")).flatMap((event) => {
      const variant = variants.get(event.experience_id);
      const isOpen = Date.parse(event.cutoff_at) > this.now && countSeats(event) > 0;
      return variant && isOpen ? [{ ...event, variant }] : [];
    });
    return this.choose(offers.filter(fits));
  }

  /** Chooses an active booking of a coming event. */
  async chooseBooking(isFit: (id: string) => boolean): Promise<(StoredBooking & { event: StoredEvent }) | undefined> {
    const events = new Map((await this.read<StoredEvent>("events")).map((event) => [event.id, event]));
    const bookings = await this.read<StoredBooking>("bookings", "status=ACTIVE");
    const coming = bookings.flatMap((booking) => {
      const event = events.get(booking.event_id);
      const starts = Date.parse(event?.sessions[0]?.starts_at ?? "");
      return event && starts > this.now && isFit(booking.id) ? [{ ...booking, event }] : [];
    });
    return this.choose(coming);
  }
}

const countSeats = ({ capacity }: StoredEvent): number => capacity.total - capacity.reserved;
const toDate = (instant: number): string => new Date(instant).toISOString().slice(0, 10);
const addHour = (local: string): string => new Date(Date.parse(`${local}Z`) + HOUR).toISOString().slice(0, 19);

type Maker = (occasion: Occasion) => Promise<Act[]>;
type ToInput<T> = (record: T, occasion: Occasion) => Fields | undefined | Promise<Fields | undefined>;

/** Acts on a booking that a row made, or that the program made. `toInput` may return undefined. */
const onBooking =
  (act: string, toInput: ToInput<StoredBooking & { event: StoredEvent }>, of: "guests" | "program" = "guests"): Maker =>
  async (occasion) => {
    const isFit = (id: string) => (of === "program" ? occasion.ofProgram.has(id) : id.startsWith(PREFIX));
    const booking = await occasion.chooseBooking(isFit);
    const input = booking && (await toInput(booking, occasion));
    return input ? [{ act, input }] : [];
  };

const onEvent =
  (act: string, toInput: ToInput<StoredEvent>): Maker =>
  async (occasion) => {
    const event = await occasion.chooseOffer();
    return event ? [{ act, input: { event_id: event.id, ...(await toInput(event, occasion)) } }] : [];
  };

/** Moves the booking to another event of the same experience. */
const toMove: ToInput<StoredBooking & { event: StoredEvent }> = async ({ id, event }, occasion) => {
  const other = await occasion.chooseOffer(
    (offer) => offer.id !== event.id && offer.experience_id === event.experience_id,
  );
  return other && { booking_id: id, event_id: other.id };
};

const GUESTS = ["Anna Holm", "Bo Lind", "Carla Juhl", "Dan Friis", "Eva Dam", "Finn Berg", "Gry Lund"] as const;
function drawGuest({ draw }: Occasion) {
  const name = draw.one(GUESTS);
  return { name, email: `${name.split(" ")[0]?.toLowerCase()}@example.com`, phone: "+4520304050" };
}

const toBooking = (occasion: Occasion, offer: Pick<Offer, "id" | "variant">, quantity: number, id = occasion.id) => ({
  id,
  event_id: offer.id,
  customer: drawGuest(occasion),
  items: [{ type_id: offer.variant, item_type: "VARIANT", quantity }],
});
const SOLD = { skip_answers: true, payments: [{ provider: "STRIPE" }] };

async function drawBooking(occasion: Occasion) {
  const offer = await occasion.chooseOffer();
  return offer && toBooking(occasion, offer, occasion.draw.between(1, Math.min(4, countSeats(offer))));
}

interface EventPlan {
  /** An instant of the day on which the event starts. */
  day: number;
  times: readonly [start: string, end: string];
  capacity: number;
  /** Seats that are sold at once, one at a time. */
  sold?: number;
}

/** Adds an event at local times. One that ends before it starts goes over midnight. */
async function addEvent(occasion: Occasion, { day, times, capacity, sold = 0 }: EventPlan): Promise<Act[]> {
  const like = await occasion.chooseOffer();
  if (!like) return [];
  const { id } = occasion;
  const [start, end] = times;
  const sessions = [
    { start_time: `${toDate(day)}T${start}`, end_time: `${toDate(end < start ? day + DAY : day)}T${end}` },
  ];
  const sales = Array.from({ length: sold }, (_, nth) => {
    const booking = toBooking(occasion, { ...like, id }, 1, `${id}-${nth + 1}`);
    return { act: "bookAsHost", input: { ...booking, ...SOLD }, later: MINUTE };
  });
  return [{ act: "createEvent", input: { id, experience_id: like.experience_id, sessions, capacity } }, ...sales];
}

const MORNING = ["10:00:00", "11:30:00"] as const;
const EVENING = ["19:00:00", "20:30:00"] as const;

/** A row of spec/soak.yaml without an entry here does not compile. */
export const makers: Readonly<Record<Business, Maker>> = {
  "guest-books": async (occasion) => {
    const booking = await drawBooking(occasion);
    return booking ? [{ act: "bookAsHost", input: { ...booking, ...SOLD } }] : [];
  },

  "guest-checks-out": async (occasion) => {
    const input = await drawBooking(occasion);
    if (!input) return [];
    // Half of the checkouts are completed, a quarter are abandoned, and a quarter lapse.
    const end = occasion.draw.one(["completeCheckout", "completeCheckout", "abandonCheckout", undefined]);
    const start = { act: "startCheckout", input };
    return end ? [start, { act: end, input: { booking_id: input.id }, later: 5 * MINUTE }] : [start];
  },

  "guest-changes": onBooking("updateBooking", ({ id, items: [item] }) => {
    if (!item) return undefined;
    const quantity = item.quantity > 1 ? item.quantity - 1 : 2;
    return { booking_id: id, items: [{ type_id: item.type_id, item_type: "VARIANT", quantity }] };
  }),

  "guest-moves": onBooking("moveBooking", toMove),

  "guest-cancels": onBooking("cancelBooking", ({ id }, { draw }) => ({
    booking_id: id,
    ...draw.one([{ refund: "full" }, { refund: "none" }, { refund: "amount", amount: 1000 }]),
  })),

  // Amounts are odd, so that a rounding error becomes visible.
  "host-refunds": onBooking("refundOrder", ({ order_id }, { draw }) => ({
    order_id,
    amount: draw.between(1, 20) * 333,
  })),

  "host-checks-in": onBooking("checkInTicket", async ({ id }, occasion) => {
    const [ticket] = await occasion.read("tickets", `booking_id=${id}`);
    return ticket && { ticket_id: ticket.id };
  }),

  "host-adds-an-event": (occasion) => {
    const { draw, now } = occasion;
    const day = now + draw.between(3, 20) * DAY;
    return addEvent(occasion, {
      day,
      times: draw.one<EventPlan["times"]>([MORNING, EVENING]),
      capacity: draw.between(8, 30),
    });
  },

  "host-changes-an-event": onEvent("updateEvent", ({ capacity }, { draw }) => ({
    capacity: capacity.total + draw.between(1, 8),
  })),

  "host-moves-an-event": onEvent("updateEvent", ({ sessions }) => ({
    sessions: sessions.map(({ start_time, end_time }) => ({
      start_time: addHour(start_time),
      end_time: addHour(end_time),
    })),
  })),

  "host-cancels-an-event": onEvent("cancelEvent", () => ({})),

  "host-sells-a-gift-card": async (occasion) => {
    const initial_value = occasion.draw.between(2, 20) * 5000;
    return [{ act: "buyGiftCard", input: { id: occasion.id, initial_value, customer: drawGuest(occasion) } }];
  },

  "host-voids-a-gift-card": async (occasion) => {
    const cards = await occasion.read("giftCards", "status=ACTIVE");
    const card = occasion.choose(cards.filter(({ id }) => id.startsWith(PREFIX)));
    return card ? [{ act: "voidGiftCard", input: { gift_card_id: card.id, refund: occasion.draw.share() < 0.5 } }] : [];
  },

  "host-changes-the-catalogue": async (occasion) => {
    const experience = occasion.choose(await occasion.read("experiences", "state=ACTIVE"));
    const name = `Tour of the ${occasion.draw.one(["spring", "summer", "autumn", "winter"])}`;
    return experience ? [{ act: "updateExperience", input: { experience_id: experience.id, name } }] : [];
  },

  "host-cancels-for-the-program": onBooking("cancelBooking", ({ id }) => ({ booking_id: id }), "program"),
  "host-moves-for-the-program": onBooking("moveBooking", toMove, "program"),

  "event-sells-out": (occasion) => {
    const seats = occasion.draw.between(6, 12);
    return addEvent(occasion, { day: occasion.now + 5 * DAY, times: EVENING, capacity: seats, sold: seats });
  },

  "end-of-the-month": (occasion) => {
    const soon = new Date(occasion.now + DAY);
    const lastDay = Date.UTC(soon.getUTCFullYear(), soon.getUTCMonth() + 1, 0);
    return addEvent(occasion, { day: lastDay, times: ["23:00:00", "00:30:00"], capacity: 20, sold: 1 });
  },
};
