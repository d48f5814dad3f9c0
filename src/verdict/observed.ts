// The observations of one run: the log of its worlds, the messages with their attempts, the bookings of the program,
// and how the program ended. Judges read nothing else.
import { stripVTControlCharacters } from "node:util";
import type { Control, Schemas } from "../client/control.ts";
import { count } from "../platform/count.ts";
import { isObject } from "../platform/json.ts";
import type { Connection, ProgramEnd, Service } from "./worlds.ts";

export type Entry = Schemas["LogEntry"];
export type RequestEntry = Schemas["RequestEntry"];
export type DeliveryEntry = Schemas["DeliveryEntry"];
export type Message = Schemas["Message"];
export type Booking = { id: string; world: string; status: string; event_id: string } & Readonly<
  Record<string, unknown>
> & {
    items?: readonly { item_type: string; quantity: number }[];
    /** The number and amount of its order, as `1117 · DKK 515.00`. */
    order?: string | undefined;
  };

/** The part of the observations that a log contains. */
export interface Logged {
  service: Service;
  /** The order is that in which they were finished. */
  requests: readonly RequestEntry[];
  subscriptions: readonly Readonly<Record<string, unknown>>[];
}

/** All observations of a run. They are data, so a run can be judged again without the program. */
export interface Observed extends Logged {
  world: string;
  connection: Connection;
  /** The order is that in which they were finished. */
  entries: readonly Entry[];
  deliveries: readonly DeliveryEntry[];
  messages: readonly Message[];
  /** The bookings of the program at the end of the run. */
  bookings: readonly Booking[];
  /** The faults of the drill with the number of their hits. */
  armed: readonly Schemas["Fault"][];
  /** Set in a control run: operations whose number differs between the control runs. */
  unsteady?: ReadonlySet<string>;
  /** Set in a control run: the probe printed something else in the other control run. */
  probeVaries?: boolean;
  /** Set in a control run: the other control run, if it shows more polls. */
  longerControl?: Observed;
  /** The reason why the output of the probe can't be read. */
  probeFailed?: string;
  /** The output of the probe; undefined without a probe. */
  probe: unknown;
  ended: ProgramEnd;
  took_ms: number;
}

type Requests = Pick<Observed, "requests">;

/** An active run, for a drill that acts while the program runs. */
export interface Live {
  control: Control;
  /** Returns the control API of another world of the run. */
  getControl(world: string): Control;
  /** Lists the worlds of the run that still exist. */
  worlds(): string[];
  entries(): readonly Entry[];
  /** Resolves to the first matching entry, past or future; undefined if the program ends before. */
  next<E extends Entry>(fits: (entry: Entry) => entry is E): Promise<E | undefined>;
  next(fits: (entry: Entry) => boolean): Promise<Entry | undefined>;
}

export const isRequest = (entry: Entry): entry is RequestEntry => entry.kind === "request";
export const isDelivery = (entry: Entry): entry is DeliveryEntry => entry.kind === "delivery";

/** Lists the world of the run and the worlds that the program created and did not delete. */
export function listWorlds(entries: readonly Entry[], world: string): string[] {
  const there = new Set([world]);
  for (const entry of entries) {
    const isRemoved = entry.kind === "world" && entry.change === "removed";
    if (isRemoved) there.delete(entry.world);
    else there.add(entry.world);
  }
  return [...there];
}

/** The wall-clock times at which a request was finished and received, in milliseconds since 1970. */
export const toWallMs = ({ wall_at }: { wall_at: string }): number => Date.parse(wall_at);
export const toArrivalMs = (request: RequestEntry): number => toWallMs(request) - request.duration_ms;

export const isSuccess = ({ status }: Pick<RequestEntry, "status">): boolean =>
  status !== null && status >= 200 && status < 300;

/** A fault changed the response, so the program's request counts, but the response does not. */
export const isInjected = ({ faults }: RequestEntry): boolean => faults.length > 0;

/** Requests for tokens don't count. */
export const isCall = ({ operation }: RequestEntry): boolean => operation !== null && operation !== "createToken";

export function explainNoCall({ requests }: Observed): string | undefined {
  return explainNoSuccess(requests.filter(isCall), "the program sends no request", "request");
}

/** Returns undefined if a request succeeded; `none` if there are no requests. */
export function explainNoSuccess(requests: readonly RequestEntry[], none: string, noun: string): string | undefined {
  if (requests.some(isSuccess)) return undefined;
  return requests.length === 0 ? none : `none of its ${count(requests.length, noun)} succeeded`;
}

export const isWrite = (request: RequestEntry): boolean => request.method !== "GET" && isCall(request);

/** Omits successful reads and token requests that repeat an earlier method and path. */
export function omitRepeatedReads<E extends Entry>(entries: readonly E[]): E[] {
  const known = new Set<string>();
  return entries.filter((entry) => {
    if (!isRequest(entry) || !isSuccess(entry) || isWrite(entry)) return true;
    const key = `${entry.world} ${entry.method} ${entry.path}`;
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
}

/** Groups the successful requests by operation. */
export const groupSuccesses = ({ requests }: Requests, fits = isCall): Map<string, RequestEntry[]> =>
  groupBy(
    requests.filter((each) => fits(each) && isSuccess(each)),
    ({ operation }) => operation ?? "",
  );

/** Counts the successful requests of each operation. */
export const countSuccesses = (observed: Requests, fits = isCall): Map<string, number> =>
  new Map([...groupSuccesses(observed, fits)].map(([operation, all]) => [operation, all.length]));

/** Lists the later requests in the same world. */
export const findLater = ({ requests }: Observed, { seq, world }: RequestEntry): RequestEntry[] =>
  requests.filter((request) => request.seq > seq && request.world === world);

export const formatEnding = ({ ended }: Pick<Observed, "ended">): string =>
  ended.stopped === "too-long" ? "no end" : ended.code === undefined ? "no exit code" : `exit code ${ended.code}`;

/** Lists the lines of an output that the control run did not print, without colours. */
export function listNewLines(output: string | undefined, control: Pick<Observed, "ended">): string[] {
  const expected = new Set(toLines(control.ended.output));
  return toLines(output).filter((line) => !expected.has(line));
}

/** Node ends every crash with its version, which is no evidence. */
const toLines = (text = ""): string[] =>
  stripVTControlCharacters(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^Node\.js v\d/.test(line));

export const findCalls = ({ requests }: Requests, operation: string): RequestEntry[] =>
  requests.filter((request) => request.operation === operation);

/** Returns a function that computes the result once for each object that `toKey` returns. */
function memoize<Input, T>(toKey: (input: Input) => object, compute: (input: Input) => T): (input: Input) => T {
  const known = new WeakMap<object, T>();
  return (input) => {
    const key = toKey(input);
    if (!known.has(key)) known.set(key, compute(input));
    return known.get(key) as T;
  };
}

/** Judges need the text for thousands of requests. Copies of an entry share `request`, which is the key. */
export const memoizePerRequest = (compute: (entry: RequestEntry) => string) =>
  memoize((each) => each.request ?? each, compute);

/** Several judges need the result of a run. Copies of a run share `requests`, which is the key. */
export const memoizePerRun = <T>(compute: (observed: Observed) => T) =>
  memoize(({ requests }: Observed) => requests, compute);

/** Requests are equal if they have the same method, path, query and body. The order of fields is ignored. */
export const toRequestKey = memoizePerRequest(({ method, path, request }) =>
  toSortedJson([method, path, request?.query, request?.body]),
);

/** Tests may send the same request in separate worlds, which is no repetition. */
export const toKeyInWorld = (entry: RequestEntry): string => `${entry.world} ${toRequestKey(entry)}`;

/** Groups equal requests by world, in the order of the log. */
const groupByKey = memoizePerRun(({ requests }) => {
  const groups = [...groupBy(requests, toRequestKey)];
  return new Map(groups.map(([key, alike]) => [key, groupBy(alike, ({ world }) => world)]));
});

/** Finds equal requests in the same world. In another run, the world with the most of them is used. */
export function findAlike(observed: Observed, request: RequestEntry): readonly RequestEntry[] {
  const groups = groupByKey(observed).get(toRequestKey(request));
  return groups?.get(request.world) ?? findLongest(groups?.values() ?? []);
}

/** Counts the equal requests of an operation in one world, at most. */
export function countMostAlike(observed: Observed, operation: string | null): number {
  const groups = [...groupByKey(observed).values()].flatMap((worlds) => [...worlds.values()]);
  return findLongest(groups.filter(([first]) => first?.operation === operation)).length;
}

export function findLongest<T>(lists: Iterable<readonly T[]>): readonly T[] {
  let found: readonly T[] = [];
  for (const list of lists) if (list.length > found.length) found = list;
  return found;
}

/** `toKeys` returns one key or several. */
export function groupBy<T>(all: Iterable<T>, toKeys: (each: T) => string | Iterable<string>): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const each of all) {
    const keys = toKeys(each);
    for (const key of typeof keys === "string" ? [keys] : keys) {
      const group = found.get(key);
      if (group) group.push(each);
      else found.set(key, [each]);
    }
  }
  return found;
}

/** Returns equal texts for values that differ only in the order of fields. */
export const toSortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );

const MAX_LISTED = 5;

export const listEvidence = (requests: readonly RequestEntry[], more = ""): ReturnType<typeof toEvidence>[] =>
  requests.slice(0, MAX_LISTED).map((each) => toEvidence(each, more));

/** Formats `POST createBooking → 201`. */
export function toEvidence(request: RequestEntry, more = ""): { id: string; says: string; at: string } {
  const status = request.status ?? "no response";
  const named = request.operation ?? request.path;
  return { id: request.id, at: request.at, says: `${request.method} ${named} → ${status}${more}` };
}
