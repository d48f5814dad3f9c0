// What the document can't tell, pair by pair: for each assumption what in a request and its answer says which value holds.
import { createHmac } from "node:crypto";
import {
  callsOf,
  codeOf,
  type Detector,
  type Detectors,
  type Exchange,
  isRecord,
  list,
  member,
  names,
  observationsOf,
  type Shape,
  type Sighting,
  see,
  succeeded,
  type Traffic,
  valuesUnder,
} from "./traffic.ts";

/** Of each pair the value that it shows, if it shows one. */
const each =
  (
    read: (exchange: Exchange, traffic: Traffic) => string | readonly string[] | undefined,
    ...ids: string[]
  ): Detector =>
  (traffic) =>
    (ids.length > 0 ? callsOf(traffic, ...ids) : traffic.exchanges).flatMap((exchange) => {
      const fits = read(exchange, traffic);
      return fits === undefined ? [] : [see(exchange, ...[fits].flat())];
    });

// A refusal counts only where its message names the field: it may have another reason.
const accepted = (exchange: Exchange, whenAccepted: string, whenRefused: string, field: string) => {
  if (succeeded(exchange)) return whenAccepted;
  return exchange.status === 400 && names(exchange, field) ? whenRefused : undefined;
};

const repeatedLists = ({ operation, query }: Exchange): string[] =>
  [...operation.query].flatMap(([name, { type }]) =>
    type === "array" && query.filter(([given]) => given === name).length > 1 ? [name] : [],
  );

const inBrackets = ({ operation, query }: Exchange): string | undefined =>
  query.map(([name]) => name).find((name) => operation.query.has(name.replace(/\[\d*\]$/, "")) && name.endsWith("]"));

const outOfRange = ({ operation, query }: Exchange): boolean =>
  query.some(([name, text]) => {
    const { minimum = 1, maximum = 100 } = (operation.query.get("limit") ?? {}) as {
      minimum?: number;
      maximum?: number;
    };
    // Events have the largest page of all lists.
    const most = operation.id === "listEvents" ? 500 : maximum;
    return name === "limit" && !(Number(text) >= minimum && Number(text) <= most);
  });

/** The scopes that any token of the traffic has. */
const granted = (traffic: Traffic): Set<string> =>
  new Set(callsOf(traffic, "createToken").flatMap(({ output }) => String(member(output, "scope") ?? "").split(" ")));

function scopeUnknown({ input, output, status }: Exchange, traffic: Traffic): string | undefined {
  const scopes = String(member(input, "scope") ?? "").split(" ");
  const known = granted(traffic);
  if (status === 200 && typeof member(output, "scope") === "string") {
    const given = String(member(output, "scope")).split(" ");
    return scopes.some((scope) => scope !== "" && !given.includes(scope)) ? "grant-rest" : undefined;
  }
  // A token request with a scope that any token has and one that none has: what is done with the rest.
  const isPartly = scopes.some((scope) => known.has(scope)) && scopes.some((scope) => !known.has(scope));
  return isPartly && member(output, "error") === "invalid_scope" ? "refuse" : undefined;
}

function audience({ input, output, status, host }: Exchange, { exchanges }: Traffic): string | undefined {
  const given = String(member(input, "audience") ?? "");
  const hosts = new Set([host, ...exchanges.map((other) => other.host)]);
  // Any host of the traffic may be the service's own name.
  const isOwn = URL.canParse(given) && hosts.has(new URL(given).host);
  if (status === 400 && member(output, "error") === "invalid_target") return "own";
  return status === 200 && !isOwn ? "any" : undefined;
}

const FORMS: readonly (readonly [string, RegExp])[] = [
  ["hex", /^[0-9a-f]{32}$/],
  ["uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
];

const generatedId = (exchange: Exchange) => {
  const id = member(exchange.output, "id");
  if (!succeeded(exchange) || typeof id !== "string") return undefined;
  return FORMS.filter(([, form]) => form.test(id)).map(([value]) => value);
};

function precision({ output }: Exchange): string[] | undefined {
  const texts = valuesUnder(output, (name) => name === "created_at" || name === "updated_at").map(String);
  if (texts.length === 0) return undefined;
  if (texts.every((text) => /T[0-9:]{8}\.\d{3}Z$/.test(text))) return ["millisecond"];
  return texts.every((text) => /T[0-9:]{8}Z$/.test(text)) ? ["second"] : [];
}

const hasNull = (value: unknown): string[] =>
  isRecord(value) ? Object.entries(value).flatMap(([name, each]) => (each === null ? [name] : hasNull(each))) : [];

const nullMember = (exchange: Exchange) => {
  const [name] = hasNull(exchange.input);
  return name === undefined ? undefined : accepted(exchange, "null-is-absent", "refuse", name);
};

const unsignedSort = (exchange: Exchange) => {
  const isUnsigned = exchange.query.some(([name, text]) => name === "sort" && /^(created|updated)_at$/.test(text));
  return isUnsigned ? accepted(exchange, "ascending", "refuse", "sort") : undefined;
};

const undocumentedQuery = (exchange: Exchange) => {
  const [name] = exchange.query.find(([given]) => !exchange.operation.query.has(given)) ?? [];
  return name === undefined ? undefined : accepted(exchange, "ignore", "refuse", name);
};

function largestPage({ query, output, ...exchange }: Exchange): string | undefined {
  const limit = Number(query.find(([name]) => name === "limit")?.[1]);
  if (!(limit > 100 && limit <= 500)) return undefined;
  const pair = { query, output, ...exchange } as Exchange;
  if (!succeeded(pair)) return exchange.status === 400 && names(pair, "limit") ? "100" : undefined;
  // Only a full page shows where the limit is.
  const items = list(member(output, "items")).length;
  if (items > 100) return "500";
  return items === 100 && member(output, "next") ? "100" : undefined;
}

function ticketsOf({ output, status }: Exchange): string | undefined {
  const tickets = list(member(output, "items"));
  const variants = tickets.map(({ items }) => list(items).filter(({ item_type }) => item_type === "VARIANT"));
  const units = (items: Shape[]) => items.reduce((sum, { quantity }) => sum + Number(quantity), 0);
  if (status !== 200 || variants.length === 0) return undefined;
  if (variants.length > 1) return "per-unit";
  return units(variants[0] ?? []) > 1 ? "per-booking" : undefined;
}

const status = (exchange: Exchange) => String(exchange.status);

/** A refused booking of which nobody knows the event. */
const unknownEvent = (exchange: Exchange) =>
  codeOf(exchange) === "EVENT_NOT_FOUND" ? only(["400", "404"], status(exchange)) : undefined;

const only = (values: readonly string[], value: string) => values.filter((each) => each === value);

const challenge = ({ answerHeaders }: Exchange): string => answerHeaders["www-authenticate"] ?? "";

const scopeMissing = (exchange: Exchange) =>
  exchange.status === 403 && codeOf(exchange) !== "" && challenge(exchange).includes("insufficient_scope")
    ? only(["UNAUTHORIZED", "FORBIDDEN"], codeOf(exchange))
    : undefined;

const foreign = (exchange: Exchange) =>
  exchange.status === 403 && !challenge(exchange) && !["", "NOT_AVAILABLE_IN_PRODUCTION"].includes(codeOf(exchange))
    ? "403"
    : undefined;

const vatRates: Detector = (traffic) =>
  observationsOf(traffic, "listJournalEntries", "getJournalEntry").flatMap(({ exchange, record }) =>
    list(record.postings).flatMap(({ vat_rate }) => {
      if (typeof vat_rate === "number") return [see(exchange, "number")];
      if (typeof vat_rate !== "string" || Number(vat_rate) === 0) return [];
      return [see(exchange, Number(vat_rate) >= 1 ? "percent" : "text")];
    }),
  );

/** The secrets that subscriptions of the traffic were given are used here and nowhere else. */
function signatures(read: (given: string, decoded: string, whole: string) => string | undefined): Detector {
  return (traffic) => {
    const secrets = observationsOf(traffic, "createWebhookSubscription").map(({ record }) => String(record.secret));
    return traffic.deliveries.flatMap((delivery): Sighting[] => {
      const { headers, text } = delivery;
      const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
      const by = (key: Buffer | string) => createHmac("sha256", key).update(signed).digest("base64");
      const given = headers["webhook-signature"] ?? "";
      // Without a secret the form of the header is still there to be seen.
      const found = (secrets.length > 0 ? secrets : [""]).flatMap(
        (secret) => read(given, by(Buffer.from(secret.slice(6), "base64")), by(secret)) ?? [],
      );
      return found[0] === undefined ? [] : [see(delivery, found[0])];
    });
  };
}

const timestamps: Detector = ({ deliveries }) =>
  deliveries.flatMap((delivery) => {
    const [sent, answered] = [
      Number(delivery.headers["webhook-timestamp"]),
      Date.parse(String(member(delivery.input, "timestamp"))) / 1000,
    ];
    const apart = Math.abs(delivery.startedAt / 1000 - answered);
    // Where the service's clock is ours, both say the same.
    if (!(apart > 24 * 3600)) return [];
    return [see(delivery, Math.abs(sent - answered) < apart / 2 ? "world" : "wall")];
  });

const openInterval = (exchange: Exchange) => {
  const given = [...exchange.query, ...Object.entries(isRecord(exchange.input) ? exchange.input : {})];
  const [name = "", text] = given.find(([name]) => name === "from" || name === "to") ?? [];
  const isZ = typeof text === "string" && /T[\d:.]+Z$/.test(text);
  if (!isZ && !(typeof text === "string" && /T[\d:.]+[+-]\d\d:\d\d$/.test(text))) return undefined;
  if (succeeded(exchange)) return isZ ? ["local-or-utc", "offset-accepted"] : ["offset-accepted"];
  if (exchange.status !== 400 || !names(exchange, name)) return undefined;
  return isZ ? ["local-only"] : ["local-or-utc", "local-only"];
};

/** Each sees one pair at a time; what needs several is in detectors-over-time.ts. */
export const pairDetectors: Detectors = {
  ids: each(generatedId, "createBooking", "createWebhookSubscription"),
  timestamps: each(precision),
  // A documented name in brackets is another question.
  "unknown-query": each((exchange) => (inBrackets(exchange) ? undefined : undocumentedQuery(exchange))),
  "token-audience": each(audience, "createToken"),
  "token-scope-unknown": each(scopeUnknown, "createToken"),
  "scope-missing": each(scopeMissing),
  "other-company": each(foreign),
  "language-mismatch": each((exchange) =>
    codeOf(exchange) === "LANGUAGE_NOT_AVAILABLE" ? only(["406", "400"], status(exchange)) : undefined,
  ),
  "limit-range": each((exchange) =>
    outOfRange(exchange) ? accepted(exchange, "clamp", "refuse", "limit") : undefined,
  ),
  "list-parameter-repeated": each((exchange) => {
    const [name] = repeatedLists(exchange);
    return name === undefined ? undefined : accepted(exchange, "union", "refuse", name);
  }),
  "parameter-brackets": each((exchange) => {
    const name = inBrackets(exchange);
    return name === undefined ? undefined : accepted(exchange, "ignore", "refuse", name);
  }),
  "null-member": each(nullMember),
  "booking-create-status": each(
    (exchange) => (succeeded(exchange) ? only(["201", "200"], status(exchange)) : undefined),
    "createBooking",
  ),
  "booking-event-unknown": each(unknownEvent, "createBooking"),
  "booking-sort-sign": each(unsignedSort, "listBookings", "listOrders"),
  tickets: each(ticketsOf, "listBookingTickets"),
  "event-query": each(largestPage, "listEvents"),
  "event-window-format": each(openInterval, "listEvents", "listEventAvailabilities", "listAvailabilities"),
  "posting-vat-rate": vatRates,
  "signature-text": signatures((given) => (given === "" ? undefined : given.startsWith("v1,") ? "v1" : "bare")),
  "signature-key": signatures((given, decoded, whole) =>
    given.includes(decoded) ? "decoded" : given.includes(whole) ? "text" : undefined,
  ),
  "webhook-timestamp": timestamps,
  "preview-production": each((exchange) =>
    codeOf(exchange) === "NOT_AVAILABLE_IN_PRODUCTION" ? only(["404", "403"], status(exchange)) : undefined,
  ),
};
