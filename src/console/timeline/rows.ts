// The lines of the timeline: the stories that match, what each has when it is unfolded, idle time in one line, and groups by test.
import type { DeliveryEntry, Fact, Head } from "../entries.ts";
import { failedAttempt, isFailed, type Story } from "../story/stories.ts";

export type Row =
  | { type: "story"; key: string; story: Story; isOpen: boolean; isUndone: boolean }
  | { type: "fact"; key: string; fact: Fact }
  | { type: "delivery"; key: string; delivery: DeliveryEntry }
  | { type: "refusal"; key: string; code: string; text: string; id: string }
  | { type: "idle"; key: string; ms: number }
  | { type: "test"; key: string; name: string; count: number; failed: number; isOpen: boolean };

export interface View {
  /** Words that all have to be in a story. */
  text: string;
  onlyFailed: boolean;
  byTest: boolean;
  /** The keys of unfolded stories and of folded groups. */
  toggled: ReadonlySet<string>;
  /** The ids of what a rewind has undone. */
  undone?: ReadonlySet<string>;
}

const IDLE_MS = 30_000;

export function rowsOf(stories: readonly Story[], view: View): { rows: Row[]; matching: number } {
  const words = view.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = stories.filter(
    (story) => (!view.onlyFailed || isFailed(story)) && words.every((word) => textOf(story).includes(word)),
  );
  const rows = view.byTest
    ? grouped(found, view)
    : found.flatMap((story, index) => withIdle(story, found[index - 1], view));
  return { rows, matching: found.length };
}

function withIdle(story: Story, before: Story | undefined, view: View): Row[] {
  const ms = before ? Date.parse(story.head.wall_at) - Date.parse(before.head.wall_at) : 0;
  const lines = linesOf(story, view);
  return ms > IDLE_MS ? [{ type: "idle", key: `idle-${story.head.seq}`, ms }, ...lines] : lines;
}

/** In the order in which the tests began. */
function grouped(found: readonly Story[], view: View): Row[] {
  const groups = new Map<string, Story[]>();
  for (const story of found) {
    const name = story.head.test ?? "";
    const group = groups.get(name);
    if (group) group.push(story);
    else groups.set(name, [story]);
  }
  return [...groups].flatMap(([name, members]) => {
    const key = `test-${name}`;
    const isOpen = !view.toggled.has(key);
    const failed = members.filter(isFailed).length;
    const head: Row = { type: "test", key, name, count: members.length, failed, isOpen };
    return isOpen ? [head, ...members.flatMap((story) => linesOf(story, view))] : [head];
  });
}

function linesOf(story: Story, { toggled, undone }: View): Row[] {
  const key = String(story.head.seq);
  const isOpen = toggled.has(key);
  const line: Row = { type: "story", key, story, isOpen, isUndone: undone?.has(story.head.id) ?? false };
  return isOpen ? [line, ...detailsOf(story, key)] : [line];
}

function detailsOf({ head, deliveries }: Story, key: string): Row[] {
  const told = "facts" in head ? head.facts : [];
  const [code, text] = refusalOf(head);
  return [
    ...(code || text ? [{ type: "refusal" as const, key: `${key}-why`, code, text, id: head.id }] : []),
    ...told.map((fact, index) => ({ type: "fact" as const, key: `${key}-${index}`, fact })),
    ...[...deliveries.values()].map((delivery) => ({
      type: "delivery" as const,
      key: `${key}-${delivery.delivery_id}`,
      delivery,
    })),
  ];
}

const refusalOf = (head: Head): [code: string, text: string] =>
  "code" in head ? [head.code ?? "", head.message ?? ""] : ["", ""];

const texts = new WeakMap<Story, { of: number; text: string }>();

/** What a filter looks at. */
function textOf(story: Story): string {
  const { head, deliveries } = story;
  const known = texts.get(story);
  if (known?.of === deliveries.size) return known.text;
  const words = [
    ...wordsOf(head),
    head.id,
    head.test ?? "",
    ...("facts" in head ? head.facts.flatMap(({ fact, id }) => [fact, id]) : []),
    ...(head.told ?? []).flatMap(({ text, record }) => [text, record?.title ?? ""]),
    ...refusalOf(head),
    ...[...deliveries.values()].flatMap(({ webhook_kind, message_id, subscription_id }) => [
      webhook_kind,
      message_id,
      subscription_id,
    ]),
  ];
  const text = words.join(" ").toLowerCase();
  texts.set(story, { of: deliveries.size, text });
  return text;
}

function wordsOf(head: Head): readonly string[] {
  if (head.kind === "request")
    return [head.method, head.operation ?? "", head.path, String(head.status ?? "no answer"), head.client_id ?? ""];
  if (head.kind === "act") return ["act", head.act, head.status];
  return head.kind === "clock" ? ["clock", head.from, head.to] : ["world", head.change];
}

/** What the rewinds among the stories have undone, up to now. One that went back behind another takes that back too. */
export function undoneIn(stories: readonly Story[]): ReadonlySet<string> {
  const branches: { was: number; undone: ReadonlySet<string> }[] = [];
  for (const { head } of stories) {
    if (head.kind !== "world" || head.change !== "rewind") continue;
    const { to, was, undid = [] } = head.detail as { to: number; was: number; undid?: string[] };
    const before = branches.findLast((branch) => branch.was < to);
    branches.push({ was, undone: new Set([...(before?.undone ?? []), ...undid]) });
  }
  return branches.at(-1)?.undone ?? new Set();
}

interface Taken {
  took: number;
  refused: number;
}

/** Of the webhooks of a story: how many were taken, and how many not (yet). */
export function takenOf({ deliveries }: Story): Taken {
  const all = [...deliveries.values()];
  const refused = all.filter(failedAttempt).length;
  return { took: all.length - refused, refused };
}
