// Records a world: reads its log, its messages and what it was made of from the control API, and makes a scenario of them. While it runs
// it reads again and again, so that what the bounded log drops meanwhile is not lost.
import { operationsOf } from "../document/document.ts";
import { storyOf } from "../recording/story.ts";
import type { Beginning, Entry, JsonObject, Message, Operation, Recording, Stretch } from "../recording/stretch.ts";
import { type Control, controlOf, dataOf, type Server } from "./control.ts";
import { SandboxError } from "./sandbox-error.ts";
import { isOfTool, TOOL } from "./tool-requests.ts";

export interface Recorder {
  /** The entries of the story so far. */
  readonly entries: readonly Entry[];
  /** Reads what is new; calls at the same time share one reading. */
  read(): Promise<void>;
  /** The story up to now. A sandbox that has stopped is not asked again. */
  finish(title: string): Recording;
  /** The number of entries that changed the world before the story begins. */
  readonly before: number;
}

/** `since` and `until`: the first and the last `seq` of the story; without `since` it begins with the next entry. */
export interface Selection {
  since?: number | undefined;
  until?: number | undefined;
}

const PAGE = 1000;

export async function startRecording(
  server: Server,
  world: string,
  { since, until }: Selection = {},
): Promise<Recorder> {
  const control = controlOf(server, world);
  const entries: Entry[] = [];
  const messages = new Map<string, Message>();
  let last = 0;
  const readAll = async () => {
    const { items, dropped } = await entriesAfter(control, last);
    if (last > 0 && dropped.since > last)
      throw notRecordable("The log has dropped entries faster than they could be read.");
    last = Math.max(last, items.at(-1)?.seq ?? 0);
    entries.push(...items.filter(isOfStory));
    await readMessages(control, items, messages);
    return dropped;
  };
  const dropped = await readAll();
  const first = mustBegin(entries, dropped.count, world);
  const from = since ?? last + 1;
  const known = await beginningOf(server, control, world, first);
  let reading: Promise<unknown> | undefined;
  return {
    get entries() {
      return entries.filter(({ seq }) => seq >= from && seq <= (until ?? Number.POSITIVE_INFINITY));
    },
    get before() {
      return entries.filter((entry) => entry.seq < from && isChange(entry)).length;
    },
    read: async () => {
      reading ??= readAll().finally(() => (reading = undefined));
      await reading;
    },
    finish(title) {
      mustBePlayable(entries, first, until);
      return storyOf({ ...known, title, entries, messages, from, ...(until === undefined ? {} : { to: until }) });
    },
  };
}

async function entriesAfter(
  control: Control,
  since: number,
): Promise<{ items: Entry[]; dropped: { count: number; since: number } }> {
  const found: Entry[] = [];
  for (let before: number | undefined; ; before = found[0]?.seq) {
    const query = { since, limit: PAGE, view: "full" as const, ...(before === undefined ? {} : { before }) };
    const { items, dropped } = await dataOf(control.GET("/_sandbox/log", { params: { query } }));
    found.unshift(...(items as unknown as Entry[]));
    if (items.length < PAGE) return { items: found, dropped };
  }
}

const isOfStory = (entry: Entry): boolean =>
  entry.kind !== "request" || !isOfTool({ path: entry.path, userAgent: entry.user_agent ?? "" });

const isChange = (entry: Entry): boolean =>
  entry.kind === "clock" ||
  ((entry.kind === "request" || entry.kind === "act") && entry.facts.some(({ fact }) => fact !== "token.issued"));

async function readMessages(control: Control, entries: readonly Entry[], known: Map<string, Message>): Promise<void> {
  const ids = entries.flatMap((entry) => ("messages" in entry ? entry.messages : [])).filter((id) => !known.has(id));
  if (ids.length > PAGE / 10) {
    const { items } = await dataOf(control.GET("/_sandbox/messages", { params: { query: { limit: PAGE } } }));
    for (const item of items) known.set(item.id, messageOf(item));
  }
  for (const messageId of ids) {
    if (known.has(messageId)) continue;
    const { data } = await control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId } } });
    if (data) known.set(messageId, messageOf(data));
  }
}

function messageOf({ id, kind, body }: { id: string; kind: string; body: unknown }): Message {
  return { id, kind, payload: (body as { payload?: JsonObject }).payload ?? {} };
}

const notRecordable = (message: string): SandboxError => new SandboxError(409, "NOT_RECORDABLE", message);

const ANEW = "`sandbox state reset` begins it anew; what happens from then on can be recorded.";

/** A story plays in a fresh world, so it needs everything since the world was one. */
function mustBegin(entries: readonly Entry[], dropped: number, world: string): Entry {
  const [first] = entries;
  if (dropped > 0)
    throw notRecordable(
      `The log no longer has the first ${dropped} entries of the world ${world}, and a story plays in a fresh world. ${ANEW}`,
    );
  if (first?.kind === "world" && ["created", "reset"].includes(first.change) && first.detail.fork_of === undefined)
    return first;
  const why =
    first?.kind === "world"
      ? `began as ${WORDS[first.change] ?? first.change}`
      : "was made before this sandbox was started";
  throw notRecordable(`The world ${world} ${why}, and a story plays in a fresh world. ${ANEW}`);
}

const WORDS: Readonly<Record<string, string>> = { created: "a fork", import: "an import", restore: "a snapshot" };
const SILENT = ["created", "reset", "rewind", "snapshot", "fork"];

function mustBePlayable(entries: readonly Entry[], first: Entry, until = Number.POSITIVE_INFINITY): void {
  for (const entry of entries) {
    if (entry.kind !== "world" || entry === first || entry.seq > until || SILENT.includes(entry.change)) continue;
    throw notRecordable(
      `There was ${WORDS[entry.change] ?? `a ${entry.change}`} at ${entry.at}, which a story can't say. ${ANEW}`,
    );
  }
}

type Known = Omit<Stretch, "title" | "entries" | "messages">;

async function beginningOf(server: Server, control: Control, world: string, first: Entry): Promise<Known> {
  const inWorld = { params: { path: { worldId: world } } };
  const about = await dataOf(control.GET("/_sandbox"));
  const { items: assumptions } = await dataOf(control.GET("/_sandbox/assumptions"));
  const { items: keys } = await dataOf(control.GET("/_sandbox/worlds/{worldId}/credentials", inWorld));
  const assumed = assumptions.flatMap(({ id, value, default: usual }) =>
    value === usual || value === null ? [] : [[id, value] as const],
  );
  const beginning: Beginning = {
    fixture: about.fixture,
    clock: first.at,
    seed: about.seed,
    assume: Object.fromEntries(assumed),
    server: {
      ...(about.maturity === "production" ? { maturity: about.maturity } : {}),
      ...(about.retry === "fast" ? { retry: about.retry } : {}),
      ...(about.rate_limit === null ? {} : { rate_limit: about.rate_limit }),
    },
  };
  const texts = await textsOf(server, beginning);
  const { client_id = "", scopes = [] } = keys[0] ?? {};
  return {
    beginning,
    operations: await operationsAt(server),
    key: { client_id, scopes },
    url: about.url,
    begins: (text) => texts.has(text),
  };
}

/** Every text of a world that begins so: the ids of its fixture are among them. */
async function textsOf(server: Server, { fixture, clock, seed }: Beginning): Promise<Set<string>> {
  const control = controlOf(server);
  const { id } = await dataOf(control.POST("/_sandbox/worlds", { body: { fixture, clock, seed } }));
  try {
    const state = await dataOf(controlOf(server, id).GET("/_sandbox/state"));
    const texts = new Set<string>();
    const see = (value: unknown): void => {
      if (typeof value === "string") texts.add(value);
      else if (typeof value === "object" && value !== null) Object.values(value).forEach(see);
    };
    see(state);
    return texts;
  } finally {
    await control.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: id } } });
  }
}

async function operationsAt({ url, send = fetch }: Server): Promise<Map<string, Operation>> {
  const response = await send(new Request(`${url}/openapi.json`, { headers: { "user-agent": TOOL } }));
  const operations = operationsOf((await response.json()) as Record<string, unknown>);
  return new Map(
    operations.map(({ id, path, parameters, body }) => [
      id,
      {
        id,
        path,
        parameters,
        body: body === undefined ? undefined : /form/.test(body.type) ? ("form" as const) : ("json" as const),
      },
    ]),
  );
}
