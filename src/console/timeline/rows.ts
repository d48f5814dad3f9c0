// Builds the lines of the timeline: matching stories with their details, idle times and groups.
import { type DeliveryEntry, type Fact, getActionName, type Head } from "../entries.ts";
import { hasAttemptFailed, hasFailed, hasHeadFailed, type Story } from "../story/stories.ts";

export type TimelineRow =
  | { type: "story"; key: string; story: Story; isOpen: boolean; isUndone: boolean }
  | { type: "fact"; key: string; fact: Fact }
  | { type: "delivery"; key: string; delivery: DeliveryEntry }
  | { type: "refusal"; key: string; code: string; text: string; id: string }
  | { type: "undone"; key: string; id: string; story: Story | undefined }
  | { type: "idle"; key: string; ms: number }
  | Group;

type Group = {
  type: "group";
  key: string;
  name: string;
  count: number;
  failed: number;
  isOpen: boolean;
  /** The real time of the first and the last story of the group. */
  first: string;
  last: string;
};

export interface TimelineView {
  /** Words that a story must all contain. */
  text: string;
  onlyFailed: boolean;
  by?: Grouping | undefined;
  /** The keys of stories and groups that differ from their initial state, folded or unfolded. */
  toggled: ReadonlySet<string>;
  /** The ids that a rewind has undone. */
  undone?: ReadonlySet<string>;
}

/** The groupings. A story without a group name is left out. */
export const GROUPINGS = {
  test: { label: "Group by test", isOpen: true, name: ({ head }: Story) => head.test ?? "Outside of tests" },
  client: {
    label: "Group by client",
    isOpen: true,
    name: ({ head }: Story) => ("client_id" in head ? (head.client_id ?? "Without a token") : "By the host"),
  },
  failure: { label: "Group failures", isOpen: false, name: (story: Story) => nameFailure(story) },
} as const;

export type Grouping = keyof typeof GROUPINGS;

/** A longer pause gets a line of its own. */
const IDLE_MS = 30_000;

/** Builds the lines of the timeline. `matching` counts stories, without the lines below them. */
export function buildRows(stories: readonly Story[], view: TimelineView): { rows: TimelineRow[]; matching: number } {
  const words = view.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = stories.filter(
    (story) => (!view.onlyFailed || hasFailed(story)) && words.every((word) => getSearchText(story).includes(word)),
  );
  const rows = view.by
    ? groupStories(found, view.by, view)
    : found.flatMap((story, index) => withIdle(story, found[index - 1], view));
  return {
    rows: rows.map((row) => (row.type === "undone" ? { ...row, story: findStory(row.id, stories) } : row)),
    matching: found.length,
  };
}

const findStory = (id: string, stories: readonly Story[]): Story | undefined =>
  stories.findLast(({ head }) => head.id === id);

function withIdle(story: Story, before: Story | undefined, view: TimelineView): TimelineRow[] {
  const ms = before ? Date.parse(story.head.wall_at) - Date.parse(before.head.wall_at) : 0;
  const lines = toRows(story, view);
  return ms > IDLE_MS ? [{ type: "idle", key: `idle-${story.head.seq}`, ms }, ...lines] : lines;
}

/** Groups stories, in the order of the first story of each group. */
function groupStories(found: readonly Story[], by: Grouping, view: TimelineView): TimelineRow[] {
  const { isOpen: isOpenAtFirst, name: nameOf } = GROUPINGS[by];
  const groups = new Map<string, Story[]>();
  for (const story of found) {
    const name = nameOf(story);
    if (name === undefined) continue;
    const group = groups.get(name);
    if (group) group.push(story);
    else groups.set(name, [story]);
  }
  return [...groups].flatMap(([name, members]) => {
    const key = `${by}-${name}`;
    // The address lists groups that differ from the initial state of their grouping.
    const isOpen = isOpenAtFirst !== view.toggled.has(key);
    const [first = "", last = ""] = [members[0], members.at(-1)].map((story) => story?.head.wall_at);
    const head: TimelineRow = {
      ...{ type: "group", key, name, isOpen, first, last },
      ...{ count: members.length, failed: members.filter(hasFailed).length },
    };
    return isOpen ? [head, ...members.flatMap((story) => toRows(story, view))] : [head];
  });
}

/** Returns a name such as "NOT_ENOUGH_RESOURCES createBooking", or the response of a receiver that failed. */
function nameFailure({ head, deliveries }: Story): string | undefined {
  if (hasHeadFailed(head)) {
    const status = "status" in head ? (head.status ?? "no answer") : "";
    const code = "code" in head ? head.code : undefined;
    return `${code ?? status} ${getActionName(head) ?? ("path" in head ? head.path : "")}`;
  }
  const refused = [...deliveries.values()].find(hasAttemptFailed);
  return refused && `webhook ${refused.attempt.status ?? "no answer"} ${refused.webhook_kind}`;
}

function toRows(story: Story, { toggled, undone }: TimelineView): TimelineRow[] {
  const key = String(story.head.seq);
  const isOpen = toggled.has(key);
  const line: TimelineRow = { type: "story", key, story, isOpen, isUndone: undone?.has(story.head.id) ?? false };
  return isOpen ? [line, ...listDetails(story, key)] : [line];
}

function listDetails({ head, deliveries }: Story, key: string): TimelineRow[] {
  if (head.kind === "world" && head.change === "rewind")
    return listUndone(head).map((id) => ({ type: "undone", key: `${key}-${id}`, id, story: undefined }));
  const facts = "facts" in head ? head.facts : [];
  const [code, text] = getRejection(head);
  return [
    ...(code || text ? [{ type: "refusal" as const, key: `${key}-why`, code, text, id: head.id }] : []),
    ...facts.map((fact, index) => ({ type: "fact" as const, key: `${key}-${index}`, fact })),
    ...[...deliveries.values()].map((delivery) => ({
      type: "delivery" as const,
      key: `${key}-${delivery.delivery_id}`,
      delivery,
    })),
  ];
}

const getRejection = (head: Head): [code: string, text: string] =>
  "code" in head ? [head.code ?? "", head.message ?? ""] : ["", ""];

/** A cache of search texts. The text of a story changes only when deliveries are added. */
const texts = new WeakMap<Story, { of: number; text: string }>();

/** Returns the text that the filter searches. */
function getSearchText(story: Story): string {
  const { head, deliveries } = story;
  const known = texts.get(story);
  if (known?.of === deliveries.size) return known.text;
  const words = [
    ...listWords(head),
    head.id,
    head.test ?? "",
    ...("facts" in head ? head.facts.flatMap(({ fact, id }) => [fact, id]) : []),
    ...(head.told ?? []).flatMap(({ text, record }) => [text, record?.title ?? ""]),
    ...getRejection(head),
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

function listWords(head: Head): readonly string[] {
  if (head.kind === "request")
    return [head.method, head.operation ?? "", head.path, String(head.status ?? "no answer"), head.client_id ?? ""];
  if (head.kind === "act") return ["act", head.act, head.status];
  return head.kind === "clock" ? ["clock", head.from, head.to] : ["world", head.change];
}

const listUndone = ({ detail }: Extract<Head, { kind: "world" }>): readonly string[] =>
  (detail as { undid?: string[] }).undid ?? [];

/** Returns the ids that are undone now. A rewind to a point before an earlier rewind also reverts that one. */
export function findUndone(stories: readonly Story[]): ReadonlySet<string> {
  const branches: { was: number; undone: ReadonlySet<string> }[] = [];
  for (const { head } of stories) {
    if (head.kind !== "world" || head.change !== "rewind") continue;
    const { to, was } = head.detail as { to: number; was: number };
    // Changes that were undone before the branch point stay undone.
    const before = branches.findLast((branch) => branch.was < to);
    branches.push({ was, undone: new Set([...(before?.undone ?? []), ...listUndone(head)]) });
  }
  return branches.at(-1)?.undone ?? new Set();
}

interface DeliveryCounts {
  delivered: number;
  refused: number;
}

/** Counts the webhooks of a story that were delivered, and those that were not (yet). */
export function countDeliveries({ deliveries }: Story): DeliveryCounts {
  const all = [...deliveries.values()];
  const refused = all.filter(hasAttemptFailed).length;
  return { delivered: all.length - refused, refused };
}
