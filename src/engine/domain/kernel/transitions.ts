// Defines life cycles as tables of allowed transitions. Headings "States and transitions"; assumptions: booking-transitions,
// tickets, order-transitions, event-transitions, gift-card-expired, gift-card-spent, gift-card-voided.
import { reject } from "./domain-error.ts";

export interface LifeCycle<State extends string> {
  kind: string;
  /** Transitions that happen only when the parent record ends, not by an act on this record. */
  along?: Readonly<Record<string, { with: string; to: readonly State[] }>>;
  /** The states in which a record may be created. */
  starts: readonly State[];
  moves: Readonly<Record<State, readonly State[]>>;
}

/** A CHECKED_IN booking is only cancelled with its event. A checkout is PROCESSING until it ends. */
export const bookingStates = {
  kind: "booking",
  starts: ["ACTIVE", "PROCESSING"],
  moves: {
    PROCESSING: ["ACTIVE", "CANCELLED"],
    ACTIVE: ["MOVED", "CANCELLED", "CHECKED_IN"],
    CHECKED_IN: ["ACTIVE"],
    MOVED: [],
    CANCELLED: [],
  },
  along: { CHECKED_IN: { with: "its event (cancelEvent)", to: ["CANCELLED"] } },
} as const satisfies LifeCycle<string>;

/** The state of a checkout follows from its booking and is never stored. */
export const checkoutStates = {
  kind: "checkout",
  starts: ["STARTED"],
  moves: { STARTED: ["COMPLETED", "ABANDONED", "LAPSED"], COMPLETED: [], ABANDONED: [], LAPSED: [] },
} as const satisfies LifeCycle<string>;

/** VOIDED is final; a check-in can be undone. */
export const ticketStates = {
  kind: "ticket",
  starts: ["ACTIVE"],
  moves: { ACTIVE: ["CHECKED_IN", "VOIDED"], CHECKED_IN: ["ACTIVE"], VOIDED: [] },
} as const satisfies LifeCycle<string>;

/** PENDING belongs to a checkout. */
export const orderStates = {
  kind: "order",
  starts: ["PENDING", "COMPLETED"],
  moves: { PENDING: ["COMPLETED", "CANCELLED"], COMPLETED: ["CANCELLED"], CANCELLED: [] },
} as const satisfies LifeCycle<string>;

/**
 * The state is derived from the money, never set; the table lists the transitions that may occur. A paid order that
 * grows is open again.
 */
export const paymentStates = {
  kind: "payment",
  starts: ["UNPAID", "PARTIALLY_PAID", "PAID"],
  moves: {
    UNPAID: ["PARTIALLY_PAID", "PAID"],
    PARTIALLY_PAID: ["PAID", "PARTIALLY_REFUNDED", "REFUNDED"],
    PAID: ["UNPAID", "PARTIALLY_PAID", "PARTIALLY_REFUNDED", "REFUNDED"],
    PARTIALLY_REFUNDED: ["REFUNDED"],
    REFUNDED: ["PARTIALLY_REFUNDED"],
  },
} as const satisfies LifeCycle<string>;

// Payments and refunds have the same states: they are in progress until they end in one of three ways.
const money = { INITIATED: ["COMPLETED", "FAILED", "CANCELLED"], COMPLETED: [], FAILED: [], CANCELLED: [] } as const;
const moneyStarts = ["INITIATED", "COMPLETED", "FAILED", "CANCELLED"] as const;
export const transactionStates = {
  kind: "transaction",
  starts: moneyStarts,
  moves: money,
} as const satisfies LifeCycle<string>;
export const refundStates = { kind: "refund", starts: moneyStarts, moves: money } as const satisfies LifeCycle<string>;

/** An archived experience can't be activated again. */
export const experienceStates = {
  kind: "experience",
  starts: ["ACTIVE"],
  moves: { ACTIVE: ["ARCHIVED", "DELETED"], ARCHIVED: ["DELETED"], DELETED: [] },
} as const satisfies LifeCycle<string>;

/** An INACTIVE event can't be called off; it completes on the clock. */
export const eventStates = {
  kind: "event",
  starts: ["ACTIVE", "INACTIVE"],
  moves: {
    INACTIVE: ["ACTIVE", "COMPLETED"],
    ACTIVE: ["INACTIVE", "CANCELLED", "COMPLETED"],
    CANCELLED: [],
    COMPLETED: [],
  },
} as const satisfies LifeCycle<string>;

export const giftCardStates = {
  kind: "gift card",
  starts: ["ACTIVE"],
  // Every end is final. A refund can revive a spent card only with refund-to-card, which bypasses this table.
  moves: { ACTIVE: ["EXPIRED", "SPENT", "VOIDED"], EXPIRED: [], SPENT: [], VOIDED: [] },
} as const satisfies LifeCycle<string>;

const subscriptionStates = {
  kind: "webhook subscription",
  starts: ["ENABLED", "DISABLED"],
  moves: { ENABLED: ["DISABLED"], DISABLED: ["ENABLED"] },
} as const satisfies LifeCycle<string>;

export const lifeCycles: readonly LifeCycle<string>[] = [
  bookingStates,
  checkoutStates,
  ticketStates,
  orderStates,
  paymentStates,
  transactionStates,
  refundStates,
  experienceStates,
  eventStates,
  giftCardStates,
  subscriptionStates,
];

/** Returns the next state, or rejects with the states from which it is allowed. */
export function move<State extends string>(cycle: LifeCycle<State>, id: string, from: string, to: State): State {
  const next = (cycle.moves as Record<string, readonly string[]>)[from] ?? [];
  if (next.includes(to)) return to;
  // The message lists the states from which the transition is possible.
  const possible = Object.entries<readonly string[]>(cycle.moves).filter(([, states]) => states.includes(to));
  const along = Object.entries(cycle.along ?? {}).filter(([, other]) => other.to.includes(to));
  return reject("WRONG_STATE", {
    kind: cycle.kind,
    id,
    state: from,
    wanted: `become ${to}`,
    from: [
      ...possible.map(([state]) => state),
      ...along.map(([state, other]) => `${state} only with ${other.with}`),
    ].join(", "),
  });
}

/** Lists unknown and unreachable states of a table. Runs at start. */
export function findCycleProblems(cycle: LifeCycle<string>): string[] {
  const states = Object.keys(cycle.moves);
  const reached = new Set<string>(cycle.starts);
  // The set grows while it is iterated, until no new state is reached.
  for (const state of reached)
    for (const next of [...(cycle.moves[state] ?? []), ...(cycle.along?.[state]?.to ?? [])]) reached.add(next);
  const unknown = [...reached].filter((state) => !states.includes(state));
  const unreachable = states.filter((state) => !reached.has(state));
  return [
    ...unknown.map((state) => `${cycle.kind}: the table leads to ${state}, which it does not know`),
    ...unreachable.map((state) => `${cycle.kind}: nothing leads to ${state}`),
  ];
}
