// Records a world as a scenario, from its log, its messages and its settings in the control API. It reads the log repeatedly, so that entries
// are read before the bounded log drops them.

import { type Control, type Schemas, type Server, unwrap } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import { readLogAfter } from "../../client/log-after.ts";
import {
  type CommitSpan,
  type Entry,
  isOverride,
  isUnsupported,
  type Message,
  type Recording,
  type WorldEntry,
} from "./log-slice.ts";
import {
  assertPlayable,
  assertSteps,
  describeLost,
  findSeq,
  type Range,
  requireStart,
  selectRange,
  toRejection,
} from "./recordable.ts";
import { type KnownStart, readStart } from "./recorded-world.ts";
import { toStory } from "./story.ts";

/** The start and the end of the scenario: a `seq`, the id of an entry, or an instant. `start` is the start of the world. */
interface Selection {
  /** The first entry. Default: the next entry. */
  since?: string | undefined;
  until?: string | undefined;
  /** The ids of selected entries, instead of a start and an end. */
  entries?: readonly string[] | undefined;
}

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
    if (resetAt < 0 && dropped.since > last) throw toRejection(describeLost(dropped.count, world));
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
  const { from, to, only }: Range = selection.entries
    ? selectRange(selection.entries, entries, history.spans)
    : {
        from: findSeq(selection.since, entries, "since") ?? Math.max(last, history.last) + 1,
        to: findSeq(selection.until, entries, "until") ?? Number.POSITIVE_INFINITY,
      };
  const isInSlice = ({ seq }: Entry) => seq >= from && seq <= to;
  let reading: Promise<readonly Entry[]> | undefined;
  return {
    async read() {
      reading ??= readAll().finally(() => {
        reading = undefined;
      });
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
    const query = { since, limit: PAGE_SIZE, ...(before === undefined ? {} : { before }) };
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

const isChange = (entry: Entry): boolean =>
  entry.kind === "clock" ||
  ((entry.kind === "request" || entry.kind === "act") && entry.facts.some(({ fact }) => fact !== "token.issued"));

async function readMessages(control: Control, entries: readonly Entry[], known: Map<string, Message>): Promise<void> {
  const ids = entries.flatMap((entry) => ("messages" in entry ? entry.messages : [])).filter((id) => !known.has(id));
  for (const messageId of ids) {
    const { data } = await control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId } } });
    // Dropped messages are omitted.
    if (data) known.set(messageId, toMessage(data));
  }
}

function toMessage({
  id,
  kind,
  created_at: at,
  body,
}: Pick<Schemas["Message"], "id" | "kind" | "created_at" | "body">): Message {
  return { id, kind, at, payload: (body as { payload?: Message["payload"] }).payload ?? {} };
}
