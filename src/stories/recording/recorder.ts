// Records a world as a scenario, from its log, its messages and its settings in the control API. It reads the log repeatedly, so that entries
// are read before the bounded log drops them.
import { type Control, type Server, unwrap } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import { readLogAfter } from "../../client/log-after.ts";
import { operationsOf } from "../../contract/document/document.ts";
import { optional } from "../../platform/optional.ts";
import { sendRequest } from "../../platform/send-request.ts";
import {
  type Beginning,
  type CommitSpan,
  type Entry,
  isChange,
  isOverride,
  isUnsupported,
  type LogSlice,
  type Message,
  type RecordedOperation,
  type Recording,
  type WorldEntry,
} from "./log-slice.ts";
import { assertPlayable, assertSteps, findRange, requireStart, type Selection, toLossError } from "./recordable.ts";
import { toStory } from "./story.ts";

export interface Recorder {
  /** Reads new entries and returns those of the scenario. Concurrent calls share one request. */
  read(): Promise<readonly Entry[]>;
  /** Returns the entries of the scenario so far. */
  entries(): readonly Entry[];
  /** Returns the number of entries that changed the world before the scenario. Their steps come first. */
  before(): number;
  /** Returns the scenario so far without requests, because the sandbox may have stopped. Throws a SandboxError if it has no steps. */
  finish(title: string): Recording;
}

/** The maximum page size of the control API. */
const PAGE_SIZE = 1000;

/** Reads the log once before it resolves. Rejects with a SandboxError if the world can't be recorded. */
export async function startRecording(server: Server, world: string, selection: Selection = {}): Promise<Recorder> {
  const control = createControl(server, world);
  const messages = new Map<string, Message>();
  const history: ReadHistory = { last: 0, spans: new Map(), commands: [] };
  let entries: Entry[] = [];
  let last = 0;
  let known: KnownStart | undefined;
  const readAll = async () => {
    const { items: read, dropped } = await readLogAfter(control, last);
    const items = read as unknown as Entry[];
    // A reset starts another world, so entries before it are not part of the scenario.
    const resetAt = items.findLastIndex((entry) => entry.kind === "world" && entry.change === "reset");
    if (resetAt >= 0) entries = [];
    const found = resetAt < 0 ? items : items.slice(resetAt);
    // The scenario would be incomplete if the log dropped an entry before it was read.
    if (resetAt < 0 && dropped.since > last) throw toLossError(dropped.count, world);
    last = Math.max(last, items.at(-1)?.seq ?? 0);
    entries.push(...found);
    const first = requireStart(entries, world);
    // The settings are only requested again after a reset.
    if (known?.first !== first.seq) known = await readStart(server, control, world, first);
    await readMessages(control, found, messages);
    await readHistory(control, history);
    return found;
  };
  await readAll();
  const { from, to, only } = findRange(selection, entries, history.spans, Math.max(last, history.last) + 1);
  const isInSlice = ({ seq }: Entry) => seq >= from && seq <= to;
  let reading: Promise<readonly Entry[]> | undefined;
  return {
    async read() {
      reading ??= readAll().finally(() => (reading = undefined));
      return (await reading).filter(isInSlice);
    },
    entries: () => entries.filter(isInSlice),
    before: () => entries.filter((entry) => entry.seq < from && isChange(entry)).length,
    finish(title) {
      assertPlayable(entries, to);
      const { beginning, ...rest } = known as KnownStart;
      const begun = { ...beginning, assume: findAssumed(beginning.assume, entries) };
      const since = entries[0]?.seq ?? 0;
      const all = [...entries, ...history.commands.filter(({ seq }) => seq > since)].sort((a, b) => a.seq - b.seq);
      const { spans } = history;
      const recording = toStory({ ...rest, beginning: begun, title, entries: all, spans, messages, from, to, only });
      assertSteps(recording, only ? "None of these entries makes a step." : `Nothing happened in the world ${world}.`);
      return recording;
    },
  };
}

/** Returns the assumptions at the start of the world. `known` are later ones, and each override has the previous values. */
function findAssumed(known: Readonly<Record<string, string>>, entries: readonly Entry[]): Record<string, string> {
  const assumed = { ...known };
  for (const { detail } of entries.filter(isOverride).reverse())
    for (const [id, value] of Object.entries(detail.before as Record<string, string | null>))
      if (value === null) delete assumed[id];
      else assumed[id] = value;
  return assumed;
}

/** The commits of the history, which are needed because rewinds name commits, and some commands have no entry in the log. */
interface ReadHistory {
  /** The number of the latest commit. */
  last: number;
  /** The commits by the id of their cause. */
  spans: Map<string, CommitSpan>;
  commands: WorldEntry[];
}

/** Reads the new commits. The pages of the control API start with the newest. */
async function readHistory(control: Control, read: ReadHistory): Promise<void> {
  const since = read.last;
  for (let before: number | undefined; ; ) {
    const query = { since, limit: PAGE_SIZE, ...optional({ before }) };
    const { items } = await unwrap(control.GET("/_sandbox/history", { params: { query } }));
    for (const { seq, at, cause } of items) {
      const { first = seq, last = seq } = read.spans.get(cause.id) ?? {};
      read.spans.set(cause.id, { first: Math.min(first, seq), last: Math.max(last, seq) });
      const { kind, id } = cause;
      if (kind === "world" && isUnsupported(id))
        read.commands.push({ kind, seq, id: `commit-${seq}`, at, change: id, detail: {} });
    }
    read.last = Math.max(read.last, items.at(-1)?.seq ?? 0);
    before = items[0]?.seq;
    if (items.length < PAGE_SIZE || before === undefined) return;
  }
}

/** Reads the messages that are not known yet. The pages of the control API start with the newest. */
async function readMessages(control: Control, entries: readonly Entry[], known: Map<string, Message>): Promise<void> {
  const isComplete = entries.every((entry) => !("messages" in entry) || entry.messages.every((id) => known.has(id)));
  for (let before: string | undefined; !isComplete; ) {
    const query = { limit: PAGE_SIZE, ...optional({ before }) };
    const { items, more } = await unwrap(control.GET("/_sandbox/messages", { params: { query } }));
    const added = items.filter(({ id }) => !known.has(id));
    for (const { id, kind, created_at: at, body } of added)
      known.set(id, { id, kind, at, payload: (body as { payload?: Message["payload"] }).payload ?? {} });
    before = items[0]?.id;
    if (more === 0 || added.length < items.length) return;
  }
}

// Reads the settings of a recorded world for the head of a scenario, and the texts of its fixture, such as ids. It creates, reads and removes
// a fresh world for these texts.

interface KnownStart extends Omit<LogSlice, "title" | "entries" | "messages" | "spans"> {
  /** The `seq` of the first entry of the world. */
  first: number;
}

/** Creates a world and removes it. The recorded world is not changed. */
async function readStart(server: Server, control: Control, world: string, first: Entry): Promise<KnownStart> {
  const inWorld = { params: { path: { worldId: world } } };
  const about = await unwrap(control.GET("/_sandbox"));
  const { items: assumptions } = await unwrap(control.GET("/_sandbox/assumptions"));
  const { items: keys } = await unwrap(control.GET("/_sandbox/worlds/{worldId}/credentials", inWorld));
  const { items: acts } = await unwrap(control.GET("/_sandbox/acts"));
  const actNames = new Set<string>(acts.map(({ act }) => act));
  const assumed = assumptions.flatMap(({ id, value, default: byDefault }) =>
    value === byDefault || value === null ? [] : [[id, value] as const],
  );
  const beginning: Beginning = {
    fixture: about.fixture,
    // The clock is held at the start of the world, because clock moves are steps.
    clock: first.at,
    seed: parseSeed(String(about.seed)),
    assume: Object.fromEntries(assumed),
    server: {
      ...(about.maturity === "production" ? { maturity: about.maturity } : {}),
      ...(about.retry === "fast" ? { retry: about.retry } : {}),
      ...(about.rate_limit === null ? {} : { rate_limit: about.rate_limit }),
    },
  };
  const texts = await collectFixtureTexts(server, beginning);
  const { client_id = "", scopes = [] } = keys[0] ?? {};
  return {
    first: first.seq,
    beginning,
    operations: await fetchOperations(server),
    isAct: (name) => actNames.has(name),
    key: { client_id, scopes },
    url: about.url,
    begins: (text) => texts.has(text),
  };
}

/** The part after the slash is specific to the recorded world. */
function parseSeed(text: string): number | string {
  const [digits = text] = text.split("/", 1);
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;
}

/** Returns every text of a world with these settings, including the ids of its fixture. */
async function collectFixtureTexts(server: Server, { fixture, clock, seed }: Beginning): Promise<Set<string>> {
  const control = createControl(server);
  const { id } = await unwrap(control.POST("/_sandbox/worlds", { body: { fixture, clock, seed } }));
  try {
    const state = await unwrap(createControl(server, id).GET("/_sandbox/state"));
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

async function fetchOperations({ url, send = sendRequest }: Server): Promise<Map<string, RecordedOperation>> {
  const response = await send(new Request(`${url}/openapi.json`));
  const operations = operationsOf((await response.json()) as Record<string, unknown>);
  return new Map(operations.map((operation) => [operation.id, operation]));
}
