// What was seen of one run of the program: the log of its world, the messages with their attempts, the bookings that it made, and how it
// ended. Judges read this and nothing else.
import type { Control, Schemas } from "../client/control.ts";
import { count } from "../platform/count.ts";
import type { Connection } from "./connection.ts";
import type { Service } from "./description.ts";

export type Entry = Schemas["LogEntry"];
export type RequestEntry = Schemas["RequestEntry"];
export type DeliveryEntry = Schemas["DeliveryEntry"];
export type Message = Schemas["Message"];
export type Booking = { id: string; world: string; status: string; event_id: string } & Readonly<
  Record<string, unknown>
> & {
    items?: readonly { item_type: string; quantity: number }[];
    /** Number and amount of its order, as `1117 · DKK 515.00`. */
    order?: string | undefined;
  };

/** How a run ended. A program that serves has no exit code. */
export interface Ended {
  /** Undefined where it had to be stopped. */
  code: number | undefined;
  /** It did not end in time; `served`: it was not meant to, and was stopped when nothing more was to happen. */
  stopped?: "too-long" | "served";
  /** The end of what it printed. */
  output: string;
  /** The end of what it wrote to stderr, where that is known. */
  errors?: string;
  /** Why it could not be started. */
  notStarted?: string;
}

/** What can be seen of a program without a run of its own: what it called, and what it could have known. */
export interface Logged {
  service: Service;
  /** In the order in which they were finished. */
  requests: readonly RequestEntry[];
  subscriptions: readonly Readonly<Record<string, unknown>>[];
}

/** Everything that a judge may know. It is data, so a run can be judged again without the program. */
export interface Observed extends Logged {
  world: string;
  connection: Connection;
  /** In the order in which they were finished. */
  entries: readonly Entry[];
  deliveries: readonly DeliveryEntry[];
  messages: readonly Message[];
  /** The bookings that the program made, as they are at the end. */
  bookings: readonly Booking[];
  /** The faults of the drill, with how often they hit. */
  armed: readonly Schemas["Fault"][];
  /** Of a control run: operations that it calls more often in one run than in another. */
  unsteady?: ReadonlySet<string>;
  /** Of a control run: the probe printed something else in the other one. */
  probeVaries?: boolean;
  /** Of a control run: the other one, where that shows more turns of a program that polls. */
  longerControl?: Observed;
  /** Why the probe printed nothing that can be read. */
  probeFailed?: string;
  /** What the probe printed, where there is one. */
  probe: unknown;
  ended: Ended;
  took_ms: number;
}

/** A run under way, for a drill that works beside the program. */
export interface Live {
  control: Control;
  /** The control API in a world that is part of the run. */
  controlIn(world: string): Control;
  /** The worlds of the run that are there. */
  worlds(): string[];
  entries(): readonly Entry[];
  /** The first entry that fits, past or to come; undefined when the program ends before. */
  next<E extends Entry>(fits: (entry: Entry) => entry is E): Promise<E | undefined>;
  next(fits: (entry: Entry) => boolean): Promise<Entry | undefined>;
  /** True as long as the program runs. */
  running(): boolean;
}

export const isRequest = (entry: Entry): entry is RequestEntry => entry.kind === "request";
export const isDelivery = (entry: Entry): entry is DeliveryEntry => entry.kind === "delivery";

/** The world of the run, and those that are part of it and were not removed. */
export function worldsIn(entries: readonly Entry[], world: string): string[] {
  const there = new Set([world]);
  for (const entry of entries) {
    const isRemoved = entry.kind === "world" && entry.change === "removed";
    if (isRemoved) there.delete(entry.world);
    else there.add(entry.world);
  }
  return [...there];
}

/** In real time, in milliseconds: when a request was finished, and when it was received. */
export const wallOf = ({ wall_at }: { wall_at: string }): number => Date.parse(wall_at);
export const arrivedAt = (request: RequestEntry): number => wallOf(request) - request.duration_ms;

export const succeeded = ({ status }: Pick<RequestEntry, "status">): boolean =>
  status !== null && status >= 200 && status < 300;

/** Whether a fault made the answer: then the program's request counts, and the answer does not. */
export const isInjected = ({ faults }: RequestEntry): boolean => faults.length > 0;

/** A call of an operation; asking for a token does not count. */
export const isCall = ({ operation }: RequestEntry): boolean => operation !== null && operation !== "createToken";

/** Why nothing can be seen of a program, where that is so. */
export function noCall({ requests }: Observed): string | undefined {
  return whyNone(requests.filter(isCall), "the program makes no call", "request");
}

/** Undefined where one succeeded; `none` where there is none. */
export function whyNone(requests: readonly RequestEntry[], none: string, noun: string): string | undefined {
  if (requests.some(succeeded)) return undefined;
  return requests.length === 0 ? none : `none of its ${count(requests.length, noun)} succeeded`;
}

/** A call that changes something. */
export const isWrite = (request: RequestEntry): boolean => request.method !== "GET" && isCall(request);

/** All but reads, and requests for tokens, that succeeded before with the same method and path. */
export function newsIn<E extends Entry>(entries: readonly E[]): E[] {
  const known = new Set<string>();
  return entries.filter((entry) => {
    if (!isRequest(entry) || !succeeded(entry) || isWrite(entry)) return true;
    const key = `${entry.world} ${entry.method} ${entry.path}`;
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
}

export const callsOf = ({ requests }: Pick<Observed, "requests">, operation: string): RequestEntry[] =>
  requests.filter((request) => request.operation === operation);

/**
 * The same request, whoever sends it when: method, path, query and body. Members are sorted: their order is no
 * difference.
 */
export const sameKey = keyed(({ method, path, request }) =>
  JSON.stringify([method, path, sorted(request?.query), sorted(request?.body)]),
);

/** The same request in the same world. Tests in worlds of their own may send the same, which is no repetition. */
export const keyInWorld = (entry: RequestEntry): string => `${entry.world} ${sameKey(entry)}`;

/** A text of each request that is made once: it is asked for again and again, of thousands of requests. */
export function keyed(make: (entry: RequestEntry) => string): (entry: RequestEntry) => string {
  const known = new WeakMap<object, string>();
  return (entry) => {
    // By what was sent, which a copy of the entry shares.
    const sent = entry.request ?? entry;
    const key = known.get(sent) ?? make(entry);
    known.set(sent, key);
    return key;
  };
}

/** What is made of the requests of a run once, for all judges. */
export function onceForRun<T>(make: (observed: Observed) => T): (observed: Observed) => T {
  const known = new WeakMap<object, T>();
  return (observed) => {
    const found = known.get(observed.requests) ?? make(observed);
    known.set(observed.requests, found);
    return found;
  };
}

/** The requests by what they are the same in, each in the order of the log; those of each world together. */
const byKey = onceForRun(({ requests }) => {
  const groups = [...grouped(requests, sameKey)];
  return new Map(groups.map(([key, alike]) => [key, grouped(alike, ({ world }) => world)]));
});

/** The requests of a run that are the same as this one, in one world: in its own, or of another run where there are most. */
export function findAlike(observed: Observed, request: RequestEntry): readonly RequestEntry[] {
  const groups = byKey(observed).get(sameKey(request));
  return groups?.get(request.world) ?? longest(groups?.values() ?? []);
}

/** How often an operation sends the same, at most, in one world. */
export function mostAlike(observed: Observed, operation: string | null): number {
  const groups = [...byKey(observed).values()].flatMap((worlds) => [...worlds.values()]);
  return longest(groups.filter(([first]) => first?.operation === operation)).length;
}

/** The longest of several lists. */
export function longest<T>(lists: Iterable<readonly T[]>): readonly T[] {
  let found: readonly T[] = [];
  for (const list of lists) if (list.length > found.length) found = list;
  return found;
}

/** By one key or several. */
export function grouped<T>(all: Iterable<T>, keysOf: (each: T) => string | Iterable<string>): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const each of all) {
    const keys = keysOf(each);
    for (const key of typeof keys === "string" ? [keys] : keys) {
      const group = found.get(key);
      if (group) group.push(each);
      else found.set(key, [each]);
    }
  }
  return found;
}

/** Members in one order, at any depth. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

const MAX_LISTED = 5;

/** The first of several requests, as evidence. */
export const listEvidence = (requests: readonly RequestEntry[], more = ""): ReturnType<typeof evidenceOf>[] =>
  requests.slice(0, MAX_LISTED).map((each) => evidenceOf(each, more));

/** `POST createBooking → 201`, as evidence. */
export function evidenceOf(request: RequestEntry, more = ""): { id: string; says: string; at: string } {
  const status = request.status ?? "no answer";
  const named = request.operation ?? request.path;
  return { id: request.id, at: request.at, says: `${request.method} ${named} → ${status}${more}` };
}
