// Builds the lines of the timeline: matching stories with their details, idle times and groups.
import { type Entry, getActionName, type Head } from "../entries.ts";
import { hasAttemptFailed, hasFailed, hasHeadFailed, type Story } from "../story/stories.ts";

export type TimelineRow = StoryRow | DetailRow | GroupRow | { type: "idle"; key: string; ms: number };

export interface StoryRow {
  type: "story";
  key: string;
  story: Story;
  isOpen: boolean;
  isUndone: boolean;
}

/** A detail of a story: the reason of a rejection, a fact, a delivery, or an entry that a rewind has undone. */
export interface DetailRow {
  type: "detail";
  key: string;
  label: "why" | "fact" | "webhook" | "undone";
  /** The id of the story that the line opens. */
  to: string;
  /** A code or a mark before the text. */
  mark?: { text: string; isBad: boolean };
  text: string;
}

export interface GroupRow {
  type: "group";
  key: string;
  name: string;
  count: number;
  failed: number;
  isOpen: boolean;
  /** The real time of the first and the last story of the group. */
  first: string;
  last: string;
}

export interface TimelineView {
  /** Words that a story must all contain. */
  text: string;
  onlyFailed: boolean;
  by?: Grouping | undefined;
  /** The keys of stories and groups that differ from their initial state, folded or unfolded. */
  toggled: ReadonlySet<string>;
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
    (story) =>
      (!view.onlyFailed || hasFailed(story)) &&
      (words.length === 0 || words.every((word) => getSearchText(story).includes(word))),
  );
  const undone = findUndone(stories);
  const toRows = (story: Story): TimelineRow[] => {
    const key = String(story.head.seq);
    const isOpen = view.toggled.has(key);
    const line = { type: "story" as const, key, story, isOpen, isUndone: undone.has(story.head.id) };
    return isOpen ? [line, ...listDetails(story, stories)] : [line];
  };
  const rows = view.by
    ? groupStories(found, view.by, view.toggled, toRows)
    : found.flatMap((story, index) => [...listIdleTime(story, found[index - 1]), ...toRows(story)]);
  return { rows, matching: found.length };
}

function listIdleTime({ head }: Story, before: Story | undefined): TimelineRow[] {
  const ms = before ? Date.parse(head.wall_at) - Date.parse(before.head.wall_at) : 0;
  return ms > IDLE_MS ? [{ type: "idle", key: `idle-${head.seq}`, ms }] : [];
}

/** Groups stories, in the order of the first story of each group. */
function groupStories(
  found: readonly Story[],
  by: Grouping,
  toggled: ReadonlySet<string>,
  toRows: (story: Story) => TimelineRow[],
): TimelineRow[] {
  const { isOpen: isOpenAtFirst, name: nameOf } = GROUPINGS[by];
  const groups = new Map<string, Story[]>();
  for (const story of found) {
    const name = nameOf(story);
    if (name === undefined) continue;
    if (!groups.get(name)?.push(story)) groups.set(name, [story]);
  }
  return [...groups].flatMap(([name, members]) => {
    const key = `${by}-${name}`;
    // The address lists groups that differ from the initial state of their grouping.
    const isOpen = isOpenAtFirst !== toggled.has(key);
    const [first = "", last = ""] = [members[0], members.at(-1)].map((story) => story?.head.wall_at);
    const [count, failed] = [members.length, members.filter(hasFailed).length];
    const head: GroupRow = { type: "group", key, name, count, failed, isOpen, first, last };
    return isOpen ? [head, ...members.flatMap(toRows)] : [head];
  });
}

/** Returns a name such as "NOT_ENOUGH_RESOURCES createBooking", or the response of a receiver that failed. */
function nameFailure({ head, deliveries }: Story): string | undefined {
  if (hasHeadFailed(head)) {
    const status = "status" in head ? (head.status ?? "no answer") : "";
    const code = "code" in head ? head.code : undefined;
    return `${code ?? status} ${getActionName(head) ?? ("path" in head ? head.path : "")}`;
  }
  const refused = deliveries.find(hasAttemptFailed);
  return refused && `webhook ${refused.attempt.status ?? "no answer"} ${refused.webhook_kind}`;
}

function listDetails({ head, deliveries }: Story, stories: readonly Story[]): DetailRow[] {
  const createDetail = (detail: Omit<DetailRow, "type" | "key">, index: number): DetailRow => ({
    type: "detail",
    key: `${head.seq}-${index}`,
    ...detail,
  });
  if (head.kind === "world" && head.change === "rewind")
    return listUndone(head).map((to, index) =>
      createDetail({ label: "undone", to, text: describeStory(to, stories) }, index),
    );
  const { code, message } = "code" in head ? head : { code: null, message: null };
  const reason = { label: "why" as const, to: head.id, mark: { text: code ?? "", isBad: true }, text: message ?? "" };
  const facts = "facts" in head ? head.facts : [];
  return [
    ...(code || message ? [reason] : []),
    ...facts.map(({ fact, id }) => ({ label: "fact" as const, to: id, text: `${fact} ${id}` })),
    ...deliveries.map((delivery) => {
      const { webhook_kind, message_id, url, attempt, state } = delivery;
      const isBad = hasAttemptFailed(delivery);
      // A receiver that rejected has a status; an unreachable one has an error.
      const answer = attempt.status ?? attempt.error ?? "no answer";
      const text = `${webhook_kind} → ${url} ${answer} · attempt ${attempt.number} · ${state}`;
      return { label: "webhook" as const, to: message_id, mark: { text: isBad ? "✗" : "✓", isBad }, text };
    }),
  ].map(createDetail);
}

/** Describes a story in one line by its action and outcome. */
function describeStory(id: string, stories: readonly Story[]): string {
  const head = stories.findLast((story) => story.head.id === id)?.head;
  const phrases = (head?.told ?? []).map(({ text, record }) => [text, record?.title].filter(Boolean).join(": "));
  return [(head && getActionName(head)) ?? id, phrases.join(" · ")].join(" ");
}

/** A cache of search texts. The text of a story changes only when deliveries are added. */
const texts = new WeakMap<Head, { deliveryCount: number; text: string }>();

/** Returns the text that the filter searches: all values of the story but times, whose digits would match a status. */
function getSearchText({ head, deliveries }: Story): string {
  const known = texts.get(head);
  if (known?.deliveryCount === deliveries.length) return known.text;
  const text = [head, ...deliveries].map(listWords).join(" ").toLowerCase();
  texts.set(head, { deliveryCount: deliveries.length, text });
  return text;
}

function listWords({ at: _, wall_at: __, seq: ___, ...entry }: Entry): string {
  const listValues = (value: unknown): string =>
    typeof value === "object" && value !== null ? Object.values(value).map(listValues).join(" ") : String(value ?? "");
  return listValues(entry);
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
