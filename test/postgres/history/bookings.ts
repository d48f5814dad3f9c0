// The bookings of one event as a model, and histories of requests to it. A booking has a name of its own, which it carries in its metadata,
// so that one whose request was not answered is known when it is seen.
import type { Model, Operation } from "./linearizable.ts";

export type Question = { create: string } | { get: string } | { cancel: string } | { list: true } | { seats: true };
/** Of a booking: its status, or none; of the list: the status of each booking by name; of the seats: how many are taken. */
export type Answered =
  | "made"
  | "sold out"
  | "cancelled"
  | "refused"
  | "ACTIVE"
  | "CANCELLED"
  | "none"
  | number
  | Listed;
export type Listed = Readonly<Record<string, string>>;
export type Booked = Operation<Question, Answered>;

type Bookings = ReadonlyMap<string, "ACTIVE" | "CANCELLED">;

export const bookings = (capacity: number): Model<Bookings, Question, Answered> => ({
  initial: new Map(),
  key: (state) =>
    [...state]
      .map((each) => each.join())
      .sort()
      .join(";"),
  next(state, requested, answered) {
    if ("create" in requested) return created(state, requested.create, answered, capacity);
    if ("cancel" in requested) return cancelled(state, requested.cancel, answered);
    if (answered === undefined) return state;
    if ("get" in requested) return (state.get(requested.get) ?? "none") === answered ? state : undefined;
    if ("list" in requested) return isListed(state, answered as Listed) ? state : undefined;
    return taken(state) === answered ? state : undefined;
  },
});

const taken = (state: Bookings): number => [...state.values()].filter((status) => status === "ACTIVE").length;

function created(state: Bookings, name: string, answered: Answered | undefined, capacity: number) {
  const isFull = taken(state) >= capacity;
  if (answered === "sold out") return isFull ? state : undefined;
  if (isFull || state.has(name)) return undefined;
  return new Map(state).set(name, "ACTIVE");
}

function cancelled(state: Bookings, name: string, answered: Answered | undefined) {
  const status = state.get(name);
  if (answered === "none") return status ? undefined : state;
  if (answered === "refused") return status === "CANCELLED" ? state : undefined;
  return status === "ACTIVE" ? new Map(state).set(name, "CANCELLED") : undefined;
}

function isListed(state: Bookings, listed: Listed): boolean {
  const names = Object.keys(listed);
  return names.length === state.size && names.every((name) => state.get(name) === listed[name]);
}

/**
 * What is known in the end of the requests that were not answered. A booking that nobody ever saw, not even the list after everything, was
 * not made, or made no difference; one that was seen was made before the answer that shows it. The same for what is cancelled.
 */
export function settled(history: readonly Booked[]): Booked[] {
  const last = history.at(-1);
  if (
    !last ||
    !("list" in last.input) ||
    history.some(({ output, until }) => output !== undefined && until > last.until)
  )
    throw new Error("a history ends with a list, which is asked for after everything");
  return history.flatMap((operation): Booked[] => {
    const { input, output, from } = operation;
    if (output !== undefined) return [operation];
    if (!("create" in input || "cancel" in input)) return [];
    const seen = Math.min(...history.filter((other) => shows(other, input)).map(({ until }) => until));
    if (seen === Number.POSITIVE_INFINITY) return [];
    if ("create" in input) return [{ input, from, output: "made", until: Math.max(from, seen) }];
    const others = history.filter((other) => "cancel" in other.input && other.input.cancel === input.cancel);
    return [others.length > 1 ? operation : { input, from, output: "cancelled", until: Math.max(from, seen) }];
  });
}

/** Whether this answer shows that the booking was made, or cancelled. */
function shows({ input, output }: Booked, requested: { create: string } | { cancel: string }): boolean {
  if (output === undefined) return false;
  const name = "create" in requested ? requested.create : requested.cancel;
  let status: string | undefined;
  if ("list" in input) status = (output as Listed)[name];
  else if ("get" in input && input.get === name && output !== "none") status = output as string;
  else if ("cancel" in input && input.cancel === name && output !== "none") status = "CANCELLED";
  return status !== undefined && ("create" in requested || status === "CANCELLED");
}
