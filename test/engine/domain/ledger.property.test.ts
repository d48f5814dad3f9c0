// Random histories of acts: whatever a host and guests do, in whatever order, refused or not, books and seats stay in order.
// Assumptions: ledger-identity, posting-rules, payment-transitions.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import register from "../../../src/contract/generated/assumptions.json" with { type: "json" };
import {
  bookingStates,
  eventStates,
  giftCardStates,
  orderStates,
  paymentStates,
} from "../../../src/engine/domain/kernel/transitions.ts";
import { extent } from "../../extent.ts";
import { type TestWorld, worldForTests } from "../../world-for-tests.ts";
import { faultsIn } from "./books.ts";
import { history, MOVES, perform, type Step } from "./histories.ts";

/** Statuses may only change as the tables say. */
type State = readonly [moves: Readonly<Record<string, readonly string[]>>, state: string];

function statesOf({ collections }: TestWorld): Map<string, State> {
  const { bookings, orders, events, giftCards } = collections;
  return new Map<string, State>([
    ...[...bookings.all()].map(({ id, status }) => [`booking ${id}`, [bookingStates.moves, status]] as const),
    ...[...orders.all()].map(({ id, status }) => [`order ${id}`, [orderStates.moves, status]] as const),
    ...[...orders.all()].map((each) => [`payment of ${each.id}`, [paymentStates.moves, each.payment_status]] as const),
    ...[...events.all()].map(({ id, state }) => [`event ${id}`, [eventStates.moves, state]] as const),
    ...[...giftCards.all()].map(({ id, status }) => [`card ${id}`, [giftCardStates.moves, status]] as const),
  ]);
}

/** Every answer to a guess that may move money or tickets otherwise. */
const AREAS = ["bookings", "experiences-and-events", "orders", "gift-cards", "accounting"];
const entries = register as readonly { id: string; area: string; alternatives: { value: string }[] }[];
const flips = entries
  .filter(({ area }) => AREAS.includes(area))
  .flatMap(({ id, alternatives }) => alternatives.map(({ value }) => [`${id}=${value}`, { [id]: value }] as const));
/** The histories are others in each run: what one run has not met, a later one may. */
const RUNS = { default: extent(30, 100, 700), flipped: extent(1, 10, 70) };

/** A SPENT card is final, but where refund-to-card says otherwise. */
const reactivates = (assumptions: Record<string, string>, was: string, is: string) =>
  assumptions["refund-to-card"] === "card-reactivated" && was === "SPENT" && is === "ACTIVE";

function mustStayInOrder(steps: readonly Step[], assumptions: Record<string, string>): void {
  const world = worldForTests(assumptions);
  let before = statesOf(world);
  for (const each of steps) {
    perform(world, each);
    const now = statesOf(world);
    for (const [what, [moves, was]] of before) {
      const is = now.get(what)?.[1] ?? "gone";
      // Calling an event off undoes its check-ins first.
      const undone = each.move === "cancelEvent" && was === "CHECKED_IN" && is === "CANCELLED";
      if (is === was || undone || reactivates(assumptions, was, is)) continue;
      if (!moves[was]?.includes(is)) expect.fail(`${what} went from ${was} to ${is}`);
    }
    expect(faultsIn(world, assumptions)).toEqual([]);
    before = now;
  }
  world.advance("2034-01-01T00:00:00.000Z");
  expect(faultsIn(world, assumptions)).toEqual([]);
}

describe("In random histories", () => {
  it("the books balance, revenue follows the money, and seats equal those of the tickets", () => {
    fc.assert(
      fc.property(history, (steps) => mustStayInOrder(steps, {})),
      { numRuns: RUNS.default },
    );
  });

  it.each(flips)("the same holds with %s", (_, assumptions) => {
    fc.assert(
      fc.property(history, (steps) => mustStayInOrder(steps, assumptions)),
      { numRuns: RUNS.flipped },
    );
  });

  it("most kinds of moves succeed, so that the histories are meaningful", () => {
    const done = new Set<string>();
    for (const steps of fc.sample(history, { numRuns: 150, seed: 7 })) {
      const world = worldForTests();
      for (const each of steps) if (perform(world, each) === "done") done.add(each.move);
    }
    expect(Object.keys(MOVES).filter((move) => !done.has(move))).toEqual([]);
  });
});
