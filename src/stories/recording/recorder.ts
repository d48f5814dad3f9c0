// Records a world: reads its log, its messages and what it was made of from the control API, and makes a scenario of them. While it runs
// it reads again and again, so that what the bounded log drops meanwhile is not lost.

import { type Control, type Schemas, type Server, unwrap } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import { readLogAfter } from "../../client/log-after.ts";
import {
  type CommitSpan,
  type Entry,
  isFlip,
  isUnsaid,
  type Message,
  type Recording,
  type WorldEntry,
} from "./log-slice.ts";
import {
  type Chosen,
  choose,
  describeLost,
  findSeq,
  mustBegin,
  mustBePlayable,
  mustHaveSteps,
  toRejection,
} from "./recordable.ts";
import { type KnownStart, readStart } from "./recorded-world.ts";
import { toStory } from "./story.ts";

/** Where the story begins and ends: a `seq`, the id of an entry, an instant; `start` is where the world began. */
interface Selection {
  /** Without it the story begins with the next entry. */
  since?: string | undefined;
  until?: string | undefined;
  /** Only these, by their ids, in the place of a beginning and an end. */
  entries?: readonly string[] | undefined;
}

export interface Recorder {
  /** Reads what is new, and returns the entries of the story that it found; calls at the same time share one reading. */
  read(): Promise<readonly Entry[]>;
  /** The entries of the story so far. */
  entries(): readonly Entry[];
  /** The number of entries that changed the world before the story begins, and that come first in it. */
  before(): number;
  /** The story up to now; nothing is asked of the sandbox, which may have stopped. Throws a SandboxError where there is none. */
  finish(title: string): Recording;
}

/** The most that the control API gives at once. */
const PAGE = 1000;

/** Reads the log once before it resolves. Rejects with a SandboxError where the world can't be recorded. */
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
    // A reset begins another world; nothing before it is part of the story.
    const anew = items.findLastIndex((entry) => entry.kind === "world" && entry.change === "reset");
    if (anew >= 0) entries = [];
    const found = anew < 0 ? items : items.slice(anew);
    // An entry that nobody has read was dropped: the story would have a hole.
    if (anew < 0 && dropped.since > last) throw toRejection(describeLost(dropped.count, world));
    last = Math.max(last, items.at(-1)?.seq ?? 0);
    entries.push(...found);
    const first = mustBegin(entries, world);
    // Read again only when the world began anew.
    if (known?.first !== first.seq) known = await readStart(server, control, world, first);
    await readMessages(control, found, messages);
    await readHistory(control, history);
    return found;
  };
  await readAll();
  const { from, to, only }: Chosen = selection.entries
    ? choose(selection.entries, entries, history.spans)
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
      mustBePlayable(entries, to);
      const { beginning, ...rest } = known as KnownStart;
      const begun = { ...beginning, assume: findAssumed(beginning.assume, entries) };
      const since = entries[0]?.seq ?? 0;
      const all = [...entries, ...history.commands.filter(({ seq }) => seq > since)].sort((a, b) => a.seq - b.seq);
      const { spans } = history;
      const recording = toStory({ ...rest, beginning: begun, title, entries: all, spans, messages, from, to, only });
      mustHaveSteps(
        recording,
        only ? "None of these entries makes a step." : `Nothing happened in the world ${world}.`,
      );
      return recording;
    },
  };
}

/** What was assumed when the world began: `known` is from later, and each flip says what was before it. */
function findAssumed(known: Readonly<Record<string, string>>, entries: readonly Entry[]): Record<string, string> {
  const assumed = { ...known };
  for (const { detail } of entries.filter(isFlip).reverse())
    for (const [id, value] of Object.entries(detail.before as Record<string, string | null>))
      if (value === null) delete assumed[id];
      else assumed[id] = value;
  return assumed;
}

/** What is read of the history: moments of a rewind are numbers of commits, and some commands have no entry in the log. */
interface ReadHistory {
  /** The number of the latest commit. */
  last: number;
  /** By what caused them. */
  spans: Map<string, CommitSpan>;
  commands: WorldEntry[];
}

/** The commits that are new; page by page, the newest first. */
async function readHistory(control: Control, read: ReadHistory): Promise<void> {
  const since = read.last;
  for (let before: number | undefined; ; ) {
    const query = { since, limit: PAGE, ...(before === undefined ? {} : { before }) };
    const { items } = await unwrap(control.GET("/_sandbox/history", { params: { query } }));
    for (const { seq, at, cause } of items) {
      const { first = seq, last = seq } = read.spans.get(cause.id) ?? {};
      read.spans.set(cause.id, { first: Math.min(first, seq), last: Math.max(last, seq) });
      const { kind, id } = cause;
      if (kind === "world" && isUnsaid(id))
        read.commands.push({ kind, seq, id: `commit-${seq}`, at, change: id, detail: {} });
    }
    read.last = Math.max(read.last, items.at(-1)?.seq ?? 0);
    before = items[0]?.seq;
    if (items.length < PAGE || before === undefined) return;
  }
}

const isChange = (entry: Entry): boolean =>
  entry.kind === "clock" ||
  ((entry.kind === "request" || entry.kind === "act") && entry.facts.some(({ fact }) => fact !== "token.issued"));

async function readMessages(control: Control, entries: readonly Entry[], known: Map<string, Message>): Promise<void> {
  const ids = entries.flatMap((entry) => ("messages" in entry ? entry.messages : [])).filter((id) => !known.has(id));
  // Many are read faster together.
  if (ids.length > PAGE / 10) {
    const { items } = await unwrap(control.GET("/_sandbox/messages", { params: { query: { limit: PAGE } } }));
    for (const item of items) known.set(item.id, toMessage(item));
  }
  for (const messageId of ids) {
    if (known.has(messageId)) continue;
    const { data } = await control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId } } });
    // One that was dropped is left out of the story.
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
