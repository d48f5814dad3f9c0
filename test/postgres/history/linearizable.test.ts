// The checker of histories is right: it agrees with a search through all orders, takes every history of one process, and finds what is
// planted: a stale read, a lost write, a seat sold twice, time that runs backwards for one client.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extent } from "../../extent.ts";
import { type Answered, type Booked, bookings, type Question, settled } from "./bookings.ts";
import { check, type Model, type Operation } from "./linearizable.ts";

const CAPACITY = 2;
const model = bookings(CAPACITY);
const verdict = (history: readonly Booked[]) => check(history, model).isLinearizable;

const did = (input: Question, output: Answered | undefined, from: number, until: number): Booked => ({
  input,
  ...(output === undefined ? {} : { output }),
  from,
  until: output === undefined ? Number.POSITIVE_INFINITY : until,
});

describe("What is planted", () => {
  const made = [did({ create: "a" }, "made", 0, 10), did({ create: "b" }, "made", 20, 30)];
  const rows: [string, boolean, Booked[]][] = [
    ["a read after the answer", true, [...made, did({ get: "b" }, "ACTIVE", 40, 50)]],
    ["a stale read", false, [...made, did({ get: "b" }, "none", 40, 50)]],
    ["a read that was under way", true, [...made, did({ get: "b" }, "none", 25, 50)]],
    ["a stale list", false, [...made, did({ list: true }, { a: "ACTIVE" }, 40, 50)]],
    ["stale seats", false, [...made, did({ seats: true }, 1, 40, 50)]],
    [
      "a lost write",
      false,
      [...made, did({ cancel: "a" }, "cancelled", 40, 50), did({ list: true }, { b: "ACTIVE" }, 60, 70)],
    ],
    [
      "a cancellation undone",
      false,
      [...made, did({ cancel: "a" }, "cancelled", 40, 50), did({ get: "a" }, "ACTIVE", 60, 70)],
    ],
    ["a seat sold twice", false, [...made, did({ create: "c" }, "made", 40, 50)]],
    ["the last seat refused", false, [did({ create: "a" }, "made", 0, 10), did({ create: "b" }, "sold out", 20, 30)]],
    [
      "a cancelled seat sold again",
      true,
      [...made, did({ cancel: "a" }, "cancelled", 40, 60), did({ create: "c" }, "made", 45, 50)],
    ],
    ["one booking made twice", false, [did({ create: "a" }, "made", 0, 10), did({ create: "a" }, "made", 20, 30)]],
    [
      "what was seen, unseen",
      false,
      [did({ create: "a" }, undefined, 0, 0), did({ get: "a" }, "ACTIVE", 40, 50), did({ get: "a" }, "none", 60, 70)],
    ],
    [
      "what was not answered, later",
      true,
      [did({ create: "a" }, undefined, 0, 0), did({ get: "a" }, "none", 40, 50), did({ get: "a" }, "ACTIVE", 60, 70)],
    ],
    ["what was not asked for", false, [did({ get: "a" }, "ACTIVE", 40, 50), did({ create: "a" }, undefined, 60, 0)]],
  ];
  it.each(rows)("%s", (_, expected, history) => {
    expect(verdict(history)).toBe(expected);
    const names = history.flatMap(({ input }) => ("create" in input ? [input.create] : []));
    const end = Object.fromEntries(names.map((name) => [name, "ACTIVE"]));
    if (!expected) expect(verdict(settled([...history, did({ list: true }, end, 100, 110)]))).toBe(false);
  });
});

const name = fc.constantFrom("a", "b", "c");
const requested: fc.Arbitrary<Question> = fc.oneof(
  fc.record({ create: name }),
  fc.record({ get: name }),
  fc.record({ cancel: name }),
  fc.constant<Question>({ list: true }),
  fc.constant<Question>({ seats: true }),
);

type State = typeof model.initial;

const CANCELLING = { ACTIVE: "cancelled", CANCELLED: "refused", none: "none" } as const;

/** What a sandbox answers in this state, and the state after it. */
function truth(state: State, input: Question): [Answered, State] {
  const taken = [...state.values()].filter((status) => status === "ACTIVE").length;
  let answered: Answered = taken;
  if ("create" in input) answered = taken < CAPACITY ? "made" : "sold out";
  else if ("get" in input) answered = state.get(input.get) ?? "none";
  else if ("cancel" in input) answered = CANCELLING[state.get(input.cancel) ?? "none"];
  else if ("list" in input) answered = Object.fromEntries(state);
  return [answered, model.next(state, input, answered) as State];
}

/** Every order of them that time allows, with or without those that were not answered. */
function isInSomeOrder<S, I, O>(left: readonly Operation<I, O>[], of: Model<S, I, O>, state: S): boolean {
  if (left.every(({ until }) => until === Number.POSITIVE_INFINITY)) return true;
  return left.some((each, index) => {
    const others = left.filter((_, at) => at !== index);
    if (others.some(({ until }) => until < each.from)) return false;
    const next = of.next(state, each.input, each.output);
    return next !== undefined && isInSomeOrder(others, of, next);
  });
}

/** Requests that overlap, each answered as the state is at some instant within it, or not answered. */
const served = fc
  .array(
    fc.record({
      input: requested,
      from: fc.nat(40),
      wait: fc.nat(12),
      rest: fc.nat(12),
      isLost: fc.nat(5).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((requests) => {
    let state = model.initial;
    const once = new Set<string>();
    return requests
      .sort((a, b) => a.from + a.wait - (b.from + b.wait))
      .flatMap(({ input, from, wait, rest, isLost }) => {
        if ("create" in input && once.has(input.create)) return [];
        if ("create" in input) once.add(input.create);
        const [output, next] = truth(state, input);
        state = next;
        return [did(input, isLost ? undefined : output, from, from + wait + rest)];
      });
  });

/** The same with some answers that may be wrong. */
const mixed = fc.tuple(served, fc.array(fc.tuple(fc.nat(6), fc.nat(5)), { maxLength: 2 })).map(([history, changes]) =>
  history.map((operation, index) => {
    const [, which] = changes.find(([place]) => place % history.length === index) ?? [];
    const { input, output } = operation;
    if (which === undefined || output === undefined) return operation;
    const pick = <T>(...from: T[]) => from[which % from.length] as T;
    if ("create" in input) return { ...operation, output: pick<Answered>("made", "sold out") };
    if ("cancel" in input) return { ...operation, output: pick<Answered>("cancelled", "refused", "none") };
    if ("get" in input) return { ...operation, output: pick<Answered>("ACTIVE", "CANCELLED", "none") };
    if ("seats" in input) return { ...operation, output: which % 3 };
    return { ...operation, output: Object.fromEntries(Object.entries(output).slice(which % 2)) };
  }),
);

const RUNS = extent(1000, 1000, 5000);

describe("Of any history", () => {
  it("of one process it says that it is linearizable", () => {
    fc.assert(
      fc.property(served, (history) => verdict(history)),
      { numRuns: RUNS },
    );
  });

  it("it says what a search through all orders says", () => {
    let not = 0;
    fc.assert(
      fc.property(mixed, (history) => {
        const expected = isInSomeOrder(history, model, model.initial);
        if (!expected) not++;
        return verdict(history) === expected;
      }),
      { numRuns: RUNS },
    );
    expect(not).toBeGreaterThan(RUNS / 50);
  });

  it("what is known in the end of unanswered requests changes nothing", () => {
    let without = 0;
    fc.assert(
      fc.property(mixed, fc.boolean(), (history, isAllThere) => {
        const names = history.flatMap(({ input }) => ("create" in input ? [input.create] : []));
        const seen = isAllThere ? names : names.slice(1);
        const cancelled = history.flatMap(({ input }) => ("cancel" in input ? [input.cancel] : []));
        const status = (each: string) => (cancelled.includes(each) ? "CANCELLED" : "ACTIVE");
        const list = Object.fromEntries(seen.map((each) => [each, status(each)]));
        const whole = [...history, did({ list: true }, list, 100, 110)];
        const expected = verdict(whole);
        if (expected && settled(whole).length < whole.length) without++;
        return verdict(settled(whole)) === expected;
      }),
      { numRuns: RUNS },
    );
    expect(without).toBeGreaterThan(RUNS / 50);
  });

  it("in which each client alone sees a right order, but an old one, it says so", () => {
    let not = 0;
    // One request after another; a client's answers come from a copy that has its own changes, and others' some time later.
    const request = fc.record({ client: fc.nat(2), input: requested, isCurrent: fc.boolean() });
    fc.assert(
      fc.property(fc.array(request, { minLength: 2, maxLength: 30 }), (requests) => {
        let [state, isStale] = [model.initial as State, false];
        const copies = new Map<number, State>();
        const once = new Set<string>();
        const history = requests.flatMap(({ client, input, isCurrent }, index) => {
          if ("create" in input && once.has(input.create)) return [];
          if ("create" in input) once.add(input.create);
          const isChange = "create" in input || "cancel" in input;
          const [right, next] = truth(state, input);
          state = next;
          if (isChange || isCurrent) copies.set(client, state);
          const [output] = isChange ? [right] : truth(copies.get(client) ?? model.initial, input);
          isStale ||= JSON.stringify(output) !== JSON.stringify(right);
          return [did(input, output, index * 10, index * 10 + 5)];
        });
        if (isStale) not++;
        return verdict(history) === !isStale;
      }),
      { numRuns: RUNS },
    );
    expect(not).toBeGreaterThan(RUNS / 10);
  });

  it("of hundreds of requests, some never answered, it says so at once", () => {
    const history = Array.from({ length: 600 }, (_, index) => {
      const which = index % 4;
      const at = (index - which) * 10;
      const one = `b${(index - which) / 4}`;
      if (which === 0) return did({ create: one }, "made", at, at + 60);
      if (which === 1) return did({ cancel: one }, "cancelled", at + 55, at + 90);
      if (which === 2) return did({ get: one }, "ACTIVE", at + 1, at + 80);
      return did({ create: `lost ${one}` }, undefined, at, 0);
    });
    const all = (status: string) => Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`b${n}`, status]));
    const end = (status: string) => settled([...history, did({ list: true }, all(status), 7000, 7010)]);
    expect([verdict(end("CANCELLED")), verdict(end("ACTIVE"))]).toEqual([true, false]);
    const stale = did({ get: "b3" }, "ACTIVE", 4000, 4010);
    expect(check([...end("CANCELLED"), stale], model)).toMatchObject({ isLinearizable: false, stuck: [stale] });
  });
});
