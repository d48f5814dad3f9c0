// Converts an explanation to lines: its causes and its effects. The command line, the MCP tools and the console display them.
import type { Schemas } from "../contract/schemas.ts";
import { formatAmount, isAmount } from "../platform/amount-text.ts";
import { NO_SUBSCRIBER } from "../platform/states-text.ts";
import { formatInFlight } from "./delivery-text.ts";

type Why = Schemas["Why"];
type Screen = "story" | "records" | "webhooks";

export interface Piece {
  text: string;
  /** The style. A status or a state is good, open or bad. */
  as?: "kind" | "quiet" | "good" | "open" | "bad";
  /** The link target: a screen of the console and its arguments. */
  refers?: readonly [Screen, ...string[]];
}

/** A line without colours and links, which each interface adds itself. */
export interface StoryLine {
  pieces: readonly Piece[];
  /** The separator of the pieces; default: a space. */
  between?: string;
  /** Lines that belong to this one. `folded`: only the console shows them, on request. */
  below?: readonly StoryLine[];
  folded?: boolean;
}

interface StorySection {
  title: string;
  lines: readonly StoryLine[];
}

/** The maximum length of a value in characters, and whether amounts have thousands separators. */
interface Wording {
  longest: number;
  grouped?: boolean;
}

/** Returns the sections that are not empty. */
export function createStory(why: Why, wording: Wording): StorySection[] {
  const { causes = [], facts, fact_count, changes, entries, entry_count, messages, history = [], then } = why;
  return [
    { title: "caused by", lines: causes.map(toCauseLine) },
    { title: "facts", lines: [...facts.map(toFactLine), ...toMoreLine(fact_count - facts.length)] },
    { title: "changes", lines: changes.map((change) => toChangeLine(change, wording)) },
    {
      title: "ledger",
      lines: [...entries.map((entry) => toEntryLine(entry, wording)), ...toMoreLine(entry_count - entries.length)],
    },
    { title: "webhooks", lines: messages.map(toMessageLine) },
    { title: "history, newest first", lines: history.map((version) => toVersionLine(version, wording)) },
    { title: "then the same client", lines: then.map(toNextLine) },
  ].filter(({ lines }) => lines.length > 0);
}

const linkTrace = (id: string, text = id): Piece => ({ text, refers: ["story", id] });
const formatUtcTime = (instant: string): string => `${instant.slice(11, 19)}Z`;

const toCauseLine = (cause: Schemas["WhyCause"]): StoryLine => ({
  pieces: cause.kind === "fixture" ? toCausePieces(cause) : [{ text: cause.kind }, ...toCausePieces(cause)],
});

/** Links the cause, except for a fixture or the creation of the world, which have no trace. The title of a fixture has its name. */
function toCausePieces({ kind, id, title }: Schemas["WhyCause"]): Piece[] {
  if (kind === "fixture") return [{ text: title }];
  return [kind === "world" ? { text: id } : linkTrace(id), { text: title }];
}

const toMoreLine = (count: number): StoryLine[] =>
  count > 0 ? [{ pieces: [{ text: `and ${count} more`, as: "quiet" }] }] : [];

const toFactLine = ({ fact, id }: Schemas["Fact"]): StoryLine => ({
  pieces: [{ text: fact, as: "kind" }, linkTrace(id)],
});

function toChangeLine({ collection, id, change, members }: Schemas["WhyRecord"], wording: Wording): StoryLine {
  return {
    pieces: [{ text: collection }, { text: id, refers: ["records", collection, id] }, { text: change, as: "quiet" }],
    below: change === "removed" ? [] : members.map((member) => toMemberLine(member, wording)),
    folded: change === "created",
  };
}

function toMemberLine({ path, before, after }: Schemas["WhyMember"], wording: Wording): StoryLine {
  const [was, is] = [before, after].map((value) => formatValue(value, wording));
  return { pieces: [{ text: `${path || "the record"}:`, as: "quiet" }, { text: `${was} → ${is}` }] };
}

function formatValue(value: unknown, { longest, grouped }: Wording): string {
  if (value === undefined) return "none";
  const text = isAmount(value) ? formatAmount(value, grouped) : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** Formats the postings in one line: `debit receivable DKK 500.00 · credit sales DKK 500.00`. */
export function toEntryLine(entry: Schemas["WhyEntry"], { grouped }: Pick<Wording, "grouped">): StoryLine {
  const { id, number, kind, currency, exponent, postings, undone_by } = entry;
  const pieces = postings.map(({ type, direction, amount: value }) => ({
    text: `${direction === "DEBIT" ? "debit" : "credit"} ${type} ${formatAmount({ currency, value, exponent }, grouped)}`,
  }));
  return {
    pieces: [linkTrace(id, number), { text: kind, as: "kind" }, ...toUndonePieces(undone_by)],
    below: [{ pieces, between: " · " }],
  };
}

const toUndonePieces = (rewind: number | undefined): Piece[] =>
  rewind === undefined ? [] : [{ text: `undone by the rewind ${rewind}`, as: "quiet" }];

function toMessageLine({ id, kind, deliveries, undone_by }: Schemas["WhyMessage"]): StoryLine {
  // A message that a rewind undid exists only in the trace.
  const message: Piece = undone_by === undefined ? { text: id, refers: ["webhooks", id] } : linkTrace(id);
  const pieces: Piece[] = [{ text: kind, as: "kind" }, message, ...toUndonePieces(undone_by)];
  if (deliveries.length === 0) return { pieces: [...pieces, { text: NO_SUBSCRIBER, as: "quiet" }] };
  return { pieces, below: deliveries.map(toDeliveryLine) };
}

function toDeliveryLine({ url, state, in_flight_ms, attempts }: Schemas["WhyDelivery"]): StoryLine {
  const tried = attempts.map(({ status, error }) => toStatusPiece(status, error ?? "no response"));
  const flight: Piece[] =
    in_flight_ms === undefined ? [] : [{ text: formatInFlight(attempts.length, in_flight_ms), as: "open" }];
  const pieces = [...tried, ...flight];
  const as = state === "DELIVERED" ? "good" : state === "PENDING" ? "open" : "bad";
  return {
    pieces: [{ text: state, as }, { text: url }],
    below: [{ pieces: pieces.length > 0 ? pieces : [{ text: "not attempted yet" }], between: ", " }],
  };
}

const toStatusPiece = (status: number | null, otherwise: string): Piece => ({
  text: String(status ?? otherwise),
  as: status === null || status >= 500 ? "bad" : status >= 400 ? "open" : "good",
});

function toVersionLine({ at, wall_at, cause, change, members }: Schemas["WhyVersion"], wording: Wording): StoryLine {
  const when = `${wall_at === null ? "" : `${formatUtcTime(wall_at)} `}(world ${at.slice(0, 19).replace("T", " ")})`;
  const by = toCausePieces(cause).reverse();
  return {
    pieces: [{ text: when, as: "quiet" }, { text: change, as: "kind" }, { text: "by" }, ...by],
    below: change === "updated" ? members.map((member) => toMemberLine(member, wording)) : [],
  };
}

const toNextLine = ({ id, wall_at, title, status, kind }: Schemas["WhyNext"]): StoryLine => ({
  pieces: [
    { text: formatUtcTime(wall_at), as: "quiet" },
    linkTrace(id, title),
    ...(kind === "request" ? [toStatusPiece(status, "no response")] : []),
  ],
});

/** Formats a line as text. Lines that belong to it are indented by two spaces. */
export function toTextLines(
  { pieces, between = " ", below = [], folded }: StoryLine,
  formatPiece: (piece: Piece) => string = ({ text }) => text,
): string[] {
  const inside = folded ? [] : below.flatMap((line) => toTextLines(line, formatPiece));
  return [pieces.map(formatPiece).join(between), ...inside.map((line) => `  ${line}`)];
}
