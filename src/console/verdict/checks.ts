// What the log alone says about the program under test, as one table: each check looks at the requests and finds nothing to look at,
// nothing wrong, or something, with the requests that show it. A check does not speak before it has enough of them.

export interface Logged {
  id: string;
  method: string;
  path: string;
  operation: string | null;
  status: number | null;
  client_id: string | null;
  code?: string | null;
  wall_at?: string;
  request: { headers: Readonly<Record<string, unknown>>; query: Readonly<Record<string, unknown>>; body: unknown };
}

interface Finding {
  /** How many requests the check could judge. */
  judged: number;
  /** The ids of requests that show what is wrong. */
  evidence: readonly string[];
}
interface Check {
  id: string;
  asks: string;
  /** What stands behind a warning. */
  because: string;
  find: (log: readonly Logged[]) => Finding;
}
type CheckResult = "pass" | "warn" | "not exercised";

/** Without anything to judge it is no pass. */
export const resultOf = ({ judged, evidence }: Finding): CheckResult =>
  evidence.length > 0 ? "warn" : judged > 0 ? "pass" : "not exercised";

const idsOf = (log: readonly Logged[]): string[] => log.map(({ id }) => id);
const of = (log: readonly Logged[], operation: string): Logged[] => log.filter((each) => each.operation === operation);
const succeeded = ({ status }: Logged): boolean => status !== null && status < 300;

/** Requests that are alike to the last byte, in groups. */
function alike(log: readonly Logged[]): Logged[][] {
  const groups = new Map<string, Logged[]>();
  for (const each of log) {
    const { query, body } = each.request;
    const key = JSON.stringify([each.client_id, each.method, each.path, query, body, each.status]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

/** The ids of requests that were sent so often or more. */
const repeated = (log: readonly Logged[], least: number): string[] =>
  alike(log)
    .filter((group) => group.length >= least)
    .flatMap(idsOf);

/** Names of query parameters that hold one. */
const SECRETS = /^(client_secret|access_token|token|secret)$/i;

/** The ids are those of `sandbox verdict`, which asks the same and more. */
export const CHECKS: readonly Check[] = [
  {
    id: "AUTH-02",
    asks: "Is a token used for more than one call?",
    because: "A token lasts an hour. One for each call doubles the traffic and meets the rate limit.",
    find: (log) => {
      const tokens = of(log, "createToken").filter(succeeded);
      const calls = log.filter(({ operation }) => operation !== null && operation !== "createToken");
      const isWasteful = tokens.length >= 2 && tokens.length * 2 >= calls.length;
      // Of a few calls nobody can tell.
      return calls.length < 5
        ? { judged: 0, evidence: [] }
        : { judged: calls.length, evidence: isWasteful ? idsOf(tokens) : [] };
    },
  },
  {
    id: "AUTH-04",
    asks: "Do secrets stay out of addresses?",
    because: "Proxies and servers keep addresses in their logs. A secret belongs into the body, a token into a header.",
    find: (log) => ({
      judged: log.filter(({ operation }) => operation !== null).length,
      evidence: idsOf(
        log.filter(
          ({ path, request }) =>
            path.includes("whsec_") || Object.keys(request.query).some((name) => SECRETS.test(name)),
        ),
      ),
    }),
  },
  {
    id: "AUTH-05",
    asks: "Does a call stop when the scope is missing?",
    because: "The same token gets 403 again. Ask for the scope with the next token, or leave the call out.",
    find: (log) => {
      const refused = log.filter(({ status }) => status === 403);
      return { judged: refused.length, evidence: repeated(refused, 2) };
    },
  },
  {
    id: "RETRY-04",
    asks: "Is a refused request left unrepeated?",
    because:
      "400, 403, 404 and 409 answer the same request the same way. Only 429, 5xx and a lost answer are worth a repetition.",
    find: (log) => {
      const refused = log.filter(({ status }) => [400, 403, 404, 409].includes(status ?? 0));
      return { judged: refused.length, evidence: repeated(refused, 3) };
    },
  },
  {
    id: "BOOK-03",
    asks: "Does each booking carry a reference of its own?",
    because: "After a lost answer only your own reference in metadata tells whether the booking exists.",
    find: (log) => {
      const made = of(log, "createBooking").filter(succeeded);
      const bare = made.filter(({ request }) => Object.keys(metadataOf(request.body)).length === 0);
      return { judged: made.length, evidence: idsOf(bare) };
    },
  },
  {
    id: "PAGE-01",
    asks: "Are cursors sent back as they came?",
    because: "A cursor is opaque and belongs to its list. A changed one is refused.",
    find: (log) => {
      const paged = log.filter(({ request }) => "cursor" in request.query);
      return { judged: paged.length, evidence: idsOf(paged.filter(({ status }) => status === 400)) };
    },
  },
  {
    id: "LANG-01",
    asks: "Does the program ask for languages that the storefront has?",
    because: "A 406 stays until Accept-Language names a language of the storefront.",
    find: (log) => {
      const localised = log.filter(({ request }) => "accept-language" in request.headers);
      const refused = log.filter(({ status }) => status === 406);
      return { judged: localised.length + refused.length, evidence: refused.length >= 2 ? idsOf(refused) : [] };
    },
  },
  {
    id: "SYNC-01",
    asks: "Does the program subscribe instead of asking again and again?",
    because:
      "The same list was read six times or more with the same answer. A webhook says when something has changed.",
    find: (log) => {
      const lists = log.filter(({ method, operation }) => method === "GET" && operation?.startsWith("list"));
      const subscribes = of(log, "createWebhookSubscription").some(succeeded);
      return { judged: lists.length, evidence: subscribes ? [] : repeated(lists.filter(succeeded), 6) };
    },
  },
];

function metadataOf(body: unknown): object {
  const { metadata } = (typeof body === "object" && body !== null ? body : {}) as { metadata?: unknown };
  return typeof metadata === "object" && metadata !== null ? metadata : {};
}
