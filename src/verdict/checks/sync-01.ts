// SYNC-01: changes come by webhooks, not by asking again and again.
import { type Check, notExercised, pass, warn } from "../check.ts";
import { cameAt, type Observed, type RequestEntry, sameKey, told } from "../observed.ts";

const FEWEST = 6;
/** Closer together it is a loop that waits for something, and not a timer. */
const SHORTEST_GAP_MS = 20;
/** How far a gap may be from the middle one. */
const STEADY = 0.4;

export const sync01: Check = {
  id: "SYNC-01",
  level: "should",
  title: "Changes come by webhooks, not by polling",
  done: "Nothing; equal lists at steady gaps are looked for.",
  rule: "Use webhooks, not lists, to synchronize data.",
  advice: "Subscribe to the kinds that you need, and list once a night for what was missed.",
  explain: {
    happens:
      "A list every few seconds is mostly the same list. It costs the limit of calls that bookings need, and a change that is made and undone in between is never seen.",
    instead: "Subscribe, answer 2xx at once, do the work afterwards. One list a day finds what got lost.",
    code: `await post("/v1/webhook-subscriptions", { url: "https://shop.example.com/hooks", event_types: ["v1.booking.created", "v1.booking.cancelled"], state: "ENABLED" });`,
  },
  judge(observed) {
    const lists = observed.requests.filter(
      ({ operation, request }) => operation?.startsWith("list") && !request?.query.cursor,
    );
    if (lists.length === 0) return notExercised("nothing was listed");
    const polled = groupsOf(lists).find((group) => isSteady(group) && !isSubscribed(group, observed));
    if (!polled) return pass("nothing was polled");
    const gap = Math.round(middle(gapsOf(polled)));
    const says = `${polled[0]?.operation} was polled ${polled.length} times, every ${gap} ms, and nothing is subscribed`;
    return warn(
      says,
      polled.slice(0, 3).map((each) => told(each)),
    );
  },
};

function groupsOf(requests: readonly RequestEntry[]): RequestEntry[][] {
  const groups = new Map<string, RequestEntry[]>();
  for (const request of requests) groups.set(sameKey(request), [...(groups.get(sameKey(request)) ?? []), request]);
  return [...groups.values()];
}

const gapsOf = (requests: readonly RequestEntry[]): number[] =>
  requests.slice(1).map((request, at) => cameAt(request) - cameAt(requests[at] as RequestEntry));

const middle = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

function isSteady(requests: readonly RequestEntry[]): boolean {
  const gaps = gapsOf(requests);
  const usual = middle(gaps);
  const near = gaps.filter((gap) => Math.abs(gap - usual) <= STEADY * usual);
  return requests.length >= FEWEST && usual >= SHORTEST_GAP_MS && near.length >= FEWEST - 1;
}

/** To a kind of the same resource: listBookings and v1.booking.created. */
function isSubscribed([first]: readonly RequestEntry[], { subscriptions }: Observed): boolean {
  const resource =
    /^list([A-Z][a-z]+)/
      .exec(first?.operation ?? "")?.[1]
      ?.toLowerCase()
      .replace(/ies$|s$/, "") ?? "";
  return subscriptions.some(({ event_types }) => String(event_types).includes(`.${resource}`));
}
