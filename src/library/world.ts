// Creates the world object of the library, which sends requests to the control API of one world.
import { isDeepStrictEqual } from "node:util";
import { readBookEntries, reconcileBooks } from "../client/books.ts";
import { type Control, openControl, perform, type Server } from "../client/control.ts";
import { waitForAttempts } from "../client/resent-messages.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import type { operations } from "../contract/generated/control.ts";
import type { Schemas } from "../contract/schemas.ts";
import { SettingError, showValue } from "../engine/settings.ts";
import { optional } from "../platform/optional.ts";
import { type Origin, rethrow, unwrap } from "./ask.ts";
import { asyncDispose } from "./async-dispose.ts";
import { ClosedError, NoMessageError, TimeoutError } from "./errors.ts";
import { type InitialState, restoreState } from "./folder.ts";
import { checkOptions } from "./method-options.ts";
import type {
  ArmedFault,
  Awaiting,
  Delivery,
  Fault,
  JournalRequest,
  Kind,
  Message,
  Moment,
  RecordOptions,
  ResendFilter,
  ResendOptions,
  World,
  WorldRecording,
} from "./types.ts";

type RequestQuery = NonNullable<operations["listRequests"]["parameters"]["query"]>;
type LogQuery = NonNullable<operations["listLog"]["parameters"]["query"]>;
type MessageFilter = NonNullable<operations["listMessages"]["parameters"]["query"]>;
type WorldCredentials = Pick<Schemas["NewWorld"], "id" | "client_id" | "client_secret" | "webhook_secret">;

/** Creates the object. `beginning` is the initial state of a world from a folder, which the sandbox can't restore itself. */
export function createWorld(
  origin: Origin,
  { id, client_id, client_secret, webhook_secret }: WorldCredentials,
  beginning?: InitialState,
): World {
  const control = openControl(origin, id);
  const inWorld = { params: { path: { worldId: id } } };
  origin.worlds?.add(id);
  const remove = async () => {
    await unwrap(control.DELETE("/_sandbox/worlds/{worldId}", inWorld));
    origin.worlds?.delete(id);
  };
  return {
    id,
    url: origin.url,
    tokenUrl: `${origin.url}/oauth2/token`,
    credentials: { clientId: client_id, clientSecret: client_secret },
    webhookSecret: webhook_secret,
    token: (scopes) => issueToken(control, client_id, scopes),
    // The type of the method determines the result by the name of the act.
    act: (name, input) => unwrap(perform(control, name, input ?? {})) as Promise<never>,
    clock: createClock(control),
    webhooks: createWebhooks(control, origin),
    ...observe(control),
    ...changeState(control),
    books: createBooks(control),
    record: async (selection) => startWorldRecording(origin, id, checkOptions("record", selection, ["since", "until"])),
    reset: async () =>
      beginning ? restoreState(control, beginning) : void (await unwrap(control.POST("/_sandbox/state/reset"))),
    async fork(options) {
      const { at } = checkOptions("fork", options, ["at"]);
      const body = { count: 1, ...(at === undefined ? {} : { at: formatMoment(at) }) };
      const { items } = await unwrap(control.POST("/_sandbox/worlds/{worldId}/fork", { ...inWorld, body }));
      return createWorld(origin, items[0] as WorldCredentials, beginning);
    },
    remove,
    [asyncDispose]: () => remove().catch(ignoreGone),
  };
}

/**
 * Issues a token through the control API, so that the log has no token request that the program did not send. Throws a SettingError unless
 * `scopes` is a list with at least one scope, and a SandboxError for a scope that the key does not have.
 */
async function issueToken(control: Control, clientId: string, scopes?: readonly string[]): Promise<string> {
  // An empty list would request a token with all scopes.
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.length > 0))
    throw new SettingError(
      `scopes is ${showValue(scopes)}, which is not a list of scopes. Name at least one, or leave it out for all scopes of the key.`,
    );
  const body = { client_id: clientId, ...optional({ scopes }) } as Schemas["TokenInput"];
  return (await unwrap(control.POST("/_sandbox/token", { body }))).access_token;
}

const REQUESTS = ["operation", "status", "limit"] as const;
const ENTRIES = [
  ...REQUESTS,
  "kinds",
  "since",
  "before",
  "view",
  "failed",
  "touches",
  "caused_by",
  "test",
  "q",
] as const;

/** Creates the methods that read the history of the world. */
function observe(control: Control): Pick<World, "requests" | "log" | "mark" | "why" | "replay" | "history" | "diff"> {
  return {
    async requests(filter) {
      const query = checkOptions("requests", filter, REQUESTS) as RequestQuery;
      return (await unwrap(control.GET("/_sandbox/requests", { params: { query } }))).items as JournalRequest[];
    },
    async log(options) {
      const { failed, ...filter } = checkOptions("log", options, ENTRIES);
      const query = { ...filter, ...(failed === undefined ? {} : { failed: `${failed}` }) } as LogQuery;
      return (await unwrap(control.GET("/_sandbox/log", { params: { query } }))).items;
    },
    mark: async (name) => void (await unwrap(control.PUT("/_sandbox/mark", { body: { name } }))),
    why: (id) =>
      unwrap(
        id === undefined
          ? control.GET("/_sandbox/why")
          : control.GET("/_sandbox/why/{id}", { params: { path: { id } } }),
      ),
    async replay(requestId, options) {
      const { set = {} } = checkOptions("replay", options, ["set"]);
      const params = { path: { requestId } };
      return unwrap(control.POST("/_sandbox/requests/{requestId}/replay", { params, body: { set } }));
    },
    history: (id) => unwrap(control.GET("/_sandbox/history/{id}", { params: { path: { id } } })),
    diff: (from, to = "now") =>
      unwrap(control.GET("/_sandbox/diff", { params: { query: { from: formatMoment(from), to: formatMoment(to) } } })),
  };
}

type StateMethods = "faults" | "snapshot" | "restore" | "assume" | "populate" | "rewind";

/** Creates the methods that change the world. */
function changeState(control: Control): Pick<World, StateMethods> {
  const toParams = (name: string) => ({ params: { path: { name } } });
  return {
    faults: {
      async arm(...faults) {
        for (const fault of faults) await unwrap(control.POST("/_sandbox/faults", { body: fault as Fault }));
      },
      list: async () => (await unwrap(control.GET("/_sandbox/faults"))).faults as ArmedFault[],
      clear: async () => void (await unwrap(control.DELETE("/_sandbox/faults"))),
    },
    snapshot: async (name) => void (await unwrap(control.PUT("/_sandbox/snapshots/{name}", toParams(name)))),
    restore: async (name) => void (await unwrap(control.POST("/_sandbox/snapshots/{name}/restore", toParams(name)))),
    assume: async (values) => void (await unwrap(control.PUT("/_sandbox/assumptions", { body: { ...values } }))),
    async populate(bookings, options) {
      const { seed, idempotencyKey, signal } = checkOptions("populate", options, ["seed", "idempotencyKey", "signal"]);
      const body = { bookings, ...optional({ seed }) };
      const header = optional({ "Idempotency-Key": idempotencyKey });
      return unwrap(control.POST("/_sandbox/state/populate", { body, params: { header }, ...optional({ signal }) }));
    },
    rewind: (to) => unwrap(control.POST("/_sandbox/rewind", { body: { to: formatMoment(to) } })),
  };
}

/** An invalid Date becomes the text "Invalid Date", which the sandbox rejects with an explanation. */
const formatMoment = (moment: Moment): string =>
  moment instanceof Date && !Number.isNaN(moment.getTime()) ? moment.toISOString() : String(moment);

/** Ignores errors about a world or a sandbox that is gone already. */
function ignoreGone(reason: unknown): void {
  const isGone = reason instanceof ClosedError || (reason instanceof SandboxError && reason.status === 404);
  if (!isGone) throw reason;
}

function createClock(control: Control): World["clock"] {
  const advance = (input: { by: string } | { to: "next" }) =>
    unwrap(control.POST("/_sandbox/clock/advance", { body: { ...input, dry_run: false } }));
  const put = (body: Schemas["ClockInput"]) => unwrap(control.PUT("/_sandbox/clock", { body }));
  return {
    now: async () => (await unwrap(control.GET("/_sandbox/clock"))).now,
    advance: (by) => advance({ by }),
    next: () => advance({ to: "next" }),
    set: (now) => put({ now: formatMoment(now) }),
    hold: async () => void (await put({ mode: "held" })),
    run: async () => void (await put({ mode: "running" })),
  };
}

const SPAN = ["from", "to", "zone"] as const;

function createBooks(control: Control): World["books"] {
  const client = { control, ask: unwrap };
  return {
    entries: async (filter) => readBookEntries(client, checkOptions("books.entries", filter, [...SPAN, "order_id"])),
    async reconcile(rows, span) {
      const isPosting = (row: unknown) => typeof row === "object" && row !== null;
      if (!Array.isArray(rows) || !rows.every(isPosting))
        throw new SettingError(`The rows are ${showValue(rows)}, which is not a list of postings, one object each.`);
      return reconcileBooks(client, rows, checkOptions("books.reconcile", span, SPAN));
    },
    async trialBalance(span) {
      const query = checkOptions("books.trialBalance", span, SPAN);
      return unwrap(control.GET("/_sandbox/books/trial-balance", { params: { query } }));
    },
    order: (orderId) => unwrap(control.GET("/_sandbox/books/orders/{orderId}", { params: { path: { orderId } } })),
  };
}

/** The maximum of one response. Older messages are ignored. */
const MAX_MESSAGES = 1000;

function createWebhooks(control: Control, origin: Origin): World["webhooks"] {
  const list = async <K extends Kind>(query: MessageFilter) =>
    (await unwrap(control.GET("/_sandbox/messages", { params: { query } }))).items as Message[] as Message<K>[];
  return {
    all: (kind) => list({ limit: MAX_MESSAGES, ...optional({ kind }) }),
    async waitFor(kind, options) {
      const wanted = checkOptions("webhooks.waitFor", options, ["payload", "times", "timeout"]);
      const { payload = {}, times = 1, timeout = 5000 } = wanted;
      const end = performance.now() + timeout;
      for (let count = times; ; ) {
        const left = Math.max(0, Math.ceil(end - performance.now()));
        const sent = await list<typeof kind>({ kind, wait_for: count, timeout: left, limit: MAX_MESSAGES });
        const found = sent.filter(({ body }) => hasMembers(body.payload, payload));
        const newest = found.at(-1);
        if (newest && found.length >= times) return newest;
        // The sandbox responds early when it closes.
        if (sent.length < count && origin.isClosed()) throw new ClosedError(origin.url);
        if (sent.length < count || sent.length === MAX_MESSAGES || left === 0)
          throw new TimeoutError(formatTimeout(kind, found.length, wanted));
        count = sent.length + 1;
      }
    },
    resend: async (messages, options) =>
      resendMessages(control, messages, checkOptions("webhooks.resend", options, ["copies", "tamper", "to"])),
  };
}

/** The time is longer than the default timeout of a receiver. */
const RESEND_PATIENCE_MS = 20_000;

async function resendMessages(
  control: Control,
  idOrFilter: string | ResendFilter,
  { to, ...how }: ResendOptions,
): Promise<Delivery[]> {
  const body = { ...how, ...optional({ subscription_id: to }) };
  const resendById = (messageId: string) =>
    unwrap(control.POST("/_sandbox/messages/{messageId}/resend", { params: { path: { messageId } }, body }));
  const sent =
    typeof idOrFilter === "string" ? [await resendById(idOrFilter)] : await resendByFilter(control, idOrFilter, body);
  const messages = await waitForAttempts({ control, ask: unwrap }, sent, { to, patienceMs: RESEND_PATIENCE_MS });
  return messages.flatMap(({ deliveries }) => deliveries);
}

async function resendByFilter(
  control: Control,
  filter: ResendFilter,
  input: Schemas["ResendInput"],
): Promise<Schemas["Message"][]> {
  const { since, ...rest } = checkOptions("the filter of webhooks.resend", filter, ["kind", "since", "failed"]);
  const named = JSON.stringify({ ...rest, since });
  if (named === "{}")
    throw new SettingError("The filter of webhooks.resend is empty. Name at least one of kind, since and failed.");
  const body = { ...rest, ...(since === undefined ? {} : { since: formatMoment(since) }), ...input };
  const { items } = await unwrap(control.POST("/_sandbox/messages/resend", { body }));
  if (items.length > 0) return items;
  throw new NoMessageError(
    `No message matches ${named}, so nothing was sent. world.webhooks.all() lists the messages with their deliveries.`,
  );
}

const hasMembers = (payload: object, members: object): boolean =>
  Object.entries(members).every(([name, value]) => isDeepStrictEqual(Reflect.get(payload, name), value));

function formatTimeout(kind: Kind, found: number, { payload, times = 1, timeout = 5000 }: Awaiting<Kind>): string {
  const which = payload ? ` with ${JSON.stringify(payload)}` : "";
  return `Waited ${timeout} ms for ${times} × ${kind}${which}; there are ${found}. world.webhooks.all() lists the sent messages.`;
}

/** Starts a recording of the world's activity as a scenario. */
async function startWorldRecording(server: Server, world: string, selection?: RecordOptions): Promise<WorldRecording> {
  const { startRecording } = await import("../stories/recording/index.ts");
  const recorder = await startRecording(server, world, selection).catch(rethrow);
  return {
    async story(title) {
      const { formatRecording } = await import("../stories/index.ts");
      try {
        await recorder.read();
        const recording = recorder.finish(title);
        return { ...recording, text: formatRecording(recording) };
      } catch (error) {
        return rethrow(error);
      }
    },
  };
}
