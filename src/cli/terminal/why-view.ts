// Formats explanations: why a request was rejected and what would work, or what a request, act or clock move caused.
import type { Schemas } from "../../client/control.ts";
import { FAILS_NOW, formatBasis, formatOffer, getMark, listChangeParts, listCommands } from "../../client/why-lines.ts";
import { createStory, type Piece, toTextLines } from "../../client/why-story.ts";
import { type Detail, escapeText, formatInstant, formatStatus, formatTime, type Look } from "./line.ts";
import type { Style } from "./terminal.ts";

type Why = Schemas["Why"];
type Refusal = Schemas["WhyRefusal"];
type Check = Schemas["WhyCheck"];

/** The longest value within a sentence, in characters. */
const MAX_VALUE = 60;
/** The maximum number of lines of a section. */
const MAX_LINES = 40;

/** Formats an explanation. With `basis`, it ends with the sources of the rule. */
export function formatExplanation(why: Why, look: Look, basis = false): string {
  const { refusal, notes = [] } = why;
  const sources = basis ? (refusal?.rests_on ?? []) : [];
  return [
    formatHeading(why, look),
    ...(refusal ? formatRejection(refusal, why, look) : []),
    ...formatTrace(why, look, { full: false }),
    ...notes.map((note) => ` ${look.paint("dim", escapeText(note))}`),
    ...formatSection("rests on", sources.map(formatBasis), look),
  ].join("\n");
}

const STYLES: Readonly<Record<NonNullable<Piece["as"]>, Style>> = {
  kind: "bold",
  quiet: "dim",
  good: "green",
  open: "yellow",
  bad: "red",
};

/** Formats the causes and the effects. */
export function formatTrace(why: Why, look: Look, { full }: Detail): string[] {
  const formatPiece = ({ text, as }: Piece) =>
    as === undefined ? escapeText(text) : look.paint(STYLES[as], escapeText(text));
  return createStory(why, { longest: full ? Number.POSITIVE_INFINITY : MAX_VALUE }).flatMap(({ title, lines }) => {
    const texts = lines.flatMap((line) => toTextLines(line, formatPiece));
    const more = texts.length - MAX_LINES;
    const rest = more > 0 ? [look.paint("dim", `${more} more in --json`)] : [];
    return formatSection(title, [...texts.slice(0, MAX_LINES), ...rest], look);
  });
}

/** `WHY 409  createBooking req-12  12:04:01Z (world 2030-06-01 09:02:00, held)`. */
function formatHeading({ title, id, at, wall_at, clock, refusal, kind }: Why, { paint }: Look): string {
  const word = refusal ? `WHY ${formatStatus(refusal.status, paint)}` : "WHY";
  const when = `${wall_at ? `${formatTime(wall_at)} ` : ""}(world ${formatInstant(at)}${clock ? `, ${clock}` : ""})`;
  const name = kind === "request" || kind === "act" ? escapeText(title) : `${kind} ${escapeText(title)}`;
  const named = title.includes(id) ? name : `${name} ${paint("dim", escapeText(id))}`;
  return `${paint("bold", word)}  ${named}  ${paint("dim", when)}`;
}

/** Formats what would work, then the checks: those of the transport in one line, and each rule with its number. */
function formatRejection({ code, message, smallest, checks, note }: Refusal, why: Why, look: Look): string[] {
  const transport = checks.filter((check) => !isRule(check)).map((check) => formatCheck(check, look));
  const rules = checks.filter(isRule).map((rule, at) => `   ${at + 1} ${formatCheck(rule, look)}`);
  return [
    ` ${escapeText(code === "" ? message : `${code}: ${message}`)}`,
    ...(smallest ? formatChange(smallest, look) : []),
    ...(smallest ? listCommands(smallest, why) : []).map((line) => `   ${look.paint("cyan", line)}`),
    ...(transport.length > 0 ? [` ${transport.join(" · ")}`] : []),
    ...rules,
    ...(note === undefined ? [] : [` ${look.paint("dim", note)}`]),
  ];
}

/** Whether a check has the name of an error code. The checks of the transport have lower-case names. */
const isRule = ({ name }: Check): boolean => /^[A-Z]/.test(name);

/** Of the transport, only the scope and a failed check are described. */
function formatCheck(check: Check, { paint }: Look): string {
  const { name, passed } = check;
  const looked_at = isRule(check) || passed === false || name === "scope" ? check.looked_at : "";
  const mark = paint(passed === null ? "dim" : passed ? "green" : "red", getMark(check)[0]);
  return `${passed === false ? paint("bold", name) : name} ${mark} ${escapeText(looked_at)}`.trimEnd();
}

/** Formats the smallest change that makes a request succeed, with its values. */
export function formatChange(change: NonNullable<Refusal["smallest"]>, { paint }: Look): string[] {
  const { text, tried, works_now } = change;
  return [
    ` ${paint("bold", `${formatOffer(change)}:`)} ${paint("green", escapeText(text))}`,
    ...(tried && works_now === false ? [`   ${FAILS_NOW}`] : []),
    ...listChangeParts(change).map((part) => `   ${escapeText(part)}`),
  ];
}

/** Formats a title with its lines below it; a single line follows the title. */
function formatSection(title: string, lines: readonly string[], { paint }: Look): string[] {
  if (lines.length <= 1) return lines.map((line) => ` ${paint("bold", `${title}:`)} ${line}`);
  return [` ${paint("bold", title)}`, ...lines.map((line) => `   ${line}`)];
}
