// Formats explanations: why a request was rejected and what would work, or what a request, act or clock move caused.
import type { Schemas } from "../../client/control.ts";
import { FAILS_NOW, formatBasis, formatOffer, getMark, listChangeParts, listCommands } from "../../client/why-lines.ts";
import { createStory, type Piece, type StoryLine, type StorySection } from "../../client/why-story.ts";
import { count } from "../../platform/count.ts";
import { escapeText, formatStatus, formatTime, type Look } from "./line.ts";
import { measureWidth, type Style, wrap } from "./terminal.ts";

type Why = Schemas["Why"];

/** The longest value within a sentence, in characters. */
const MAX_VALUE = 60;
const MAX_LINES = 40;
const MAX_LINES_BELOW = 12;

/** Formats an explanation. With `basis`, it ends with the sources of the rule. */
export function formatExplanation(why: Why, look: Look, basis = false): string {
  return [
    ...formatHeading(why, look),
    ...formatRejection(why, look),
    ...formatTrace(why, look, { full: false }),
    ...(why.notes ?? []).flatMap((note) => wrapDim(escapeText(note), look)),
    ...(basis ? formatSources(why, look) : []),
  ].join("\n");
}

/** Formats the causes and the effects. */
export const formatTrace = (why: Why, look: Look, { full }: { full: boolean }): string[] =>
  createStory(why, { longest: full ? Number.POSITIVE_INFINITY : MAX_VALUE }).flatMap((each) =>
    formatSection(each.title, formatSectionLines(each, look), look),
  );

/** `WHY 409  createBooking req-12   12:04:01 (world 2030-06-01 09:02:00, held)`. */
function formatHeading({ title, id, at, wall_at, clock, refusal, kind }: Why, look: Look): string[] {
  const { paint } = look;
  const word = refusal ? `WHY ${formatStatus(refusal.status, paint)}` : "WHY";
  const when = `${wall_at ? `${formatTime(wall_at)} ` : ""}(world ${at.slice(0, 19).replace("T", " ")}${clock ? `, ${clock}` : ""})`;
  const name = kind === "request" || kind === "act" ? escapeText(title) : `${kind} ${escapeText(title)}`;
  const named = title.includes(id) ? name : `${name} ${paint("dim", escapeText(id))}`;
  const line = `${paint("bold", word)}  ${named}`;
  // The width is measured with the longest first word, so that the layout does not depend on the status.
  if (measureWidth(`WHY 409  ${name} ${id}  ${when}`) <= limitWidth(look)) return [`${line}  ${paint("dim", when)}`];
  return [line, `  ${paint("dim", when)}`];
}

function formatSectionLines({ lines, between }: StorySection, look: Look): string[] {
  if (between !== undefined) {
    const pieces = lines.map((line) => line.pieces.map((piece) => formatPiece(piece, look)).join(" "));
    return joinPieces(pieces, look, between);
  }
  const left = lines.length - MAX_LINES;
  return [
    ...lines.slice(0, MAX_LINES).flatMap((line) => formatStoryLine(line, look)),
    ...(left > 0 ? [look.paint("dim", `${left} more ${left === 1 ? "is" : "are"} in --json`)] : []),
  ];
}

function formatStoryLine({ pieces, between = " ", below = [], folded }: StoryLine, look: Look): string[] {
  const words = pieces.map((piece) => formatPiece(piece, look));
  // Folded lines are omitted, because only the console can unfold them.
  const visible = folded ? [] : below.slice(0, MAX_LINES_BELOW);
  const left = folded ? 0 : below.length - visible.length;
  return [
    ...joinPieces(words, look, between),
    ...visible.flatMap((line) => formatStoryLine(line, look)).map((line) => `  ${line}`),
    ...(left > 0 ? [look.paint("dim", `  and ${count(left, "more line")}`)] : []),
  ];
}

const STYLES: Readonly<Record<NonNullable<Piece["as"]>, Style>> = {
  kind: "bold",
  quiet: "dim",
  good: "green",
  open: "yellow",
  bad: "red",
};

const formatPiece = ({ text, as }: Piece, { paint }: Look): string =>
  as === undefined ? escapeText(text) : paint(STYLES[as], escapeText(text));

type Refusal = Schemas["WhyRefusal"];
type Check = Schemas["WhyCheck"];

/** Formats what would work, then the checks. Returns nothing if nothing was rejected. */
function formatRejection(why: Schemas["Why"], look: Look): string[] {
  const { refusal } = why;
  if (!refusal) return [];
  const { code, message, smallest, note } = refusal;
  const sentence = code === "" ? message : `${code}: ${message}`;
  return [
    ...wrapIndented(escapeText(sentence), look),
    ...(smallest
      ? [
          ...formatChange(smallest, look),
          ...listCommands(smallest, why).map((line) => `   ${look.paint("cyan", line)}`),
        ]
      : []),
    ...formatChecks(refusal, look),
    ...(note === undefined ? [] : wrapDim(note, look)),
  ];
}

const formatSources = ({ refusal }: Schemas["Why"], look: Look): string[] =>
  formatSection("rests on", refusal?.rests_on.flatMap((basis) => wrapBasis(basis, look)) ?? [], look);

const wrapIndented = (text: string, look: Look): string[] => wrap(text, limitWidth(look) - 2).map((line) => ` ${line}`);
const wrapDim = (text: string, look: Look): string[] => wrapIndented(text, look).map((line) => look.paint("dim", line));

/** Returns whether a check has the name of an error code. The checks of the transport have lower-case names. */
const isCode = ({ name }: Check): boolean => /^[A-Z]/.test(name);

function formatChecks({ checks }: Refusal, look: Look): string[] {
  const transport = checks
    .filter((check) => !isCode(check))
    // The scope is always described, because users look at it first.
    .map((check) => formatCheck(check, look, check.passed === false || check.name === "scope"));
  const rules = checks.filter(isCode).map((check, index) => `${index + 1} ${formatCheck(check, look, true)}`);
  const lines = joinPieces(transport, look, " · ").map((line) => ` ${line}`);
  return [...lines, ...joinPieces(rules, look).map((line) => `   ${line}`)];
}

function formatCheck(check: Check, { paint }: Look, whole: boolean): string {
  const { name, passed, looked_at } = check;
  const mark = paint(passed === null ? "dim" : passed ? "green" : "red", getMark(check)[0]);
  const title = passed === false ? paint("bold", name) : passed === null ? paint("dim", name) : name;
  return `${title} ${mark}${whole && looked_at !== "" ? ` ${escapeText(looked_at)}` : ""}`;
}

function wrapBasis(basis: Refusal["rests_on"][number], look: Look): string[] {
  const [first = "", ...rest] = wrap(formatBasis(basis), limitWidth(look) - 6);
  return [first, ...rest.map((line) => `  ${line}`)];
}

type Change = NonNullable<Refusal["smallest"]>;

/** Formats the smallest change that makes a request succeed, with its values. */
export function formatChange(change: Change, look: Look): string[] {
  const { paint } = look;
  const { text, tried, works_now } = change;
  const head = formatOffer(change);
  const lines = wrap(escapeText(text), limitWidth(look) - head.length - 4);
  return [
    ` ${paint("bold", `${head}:`)} ${paint("green", lines[0] ?? "")}`,
    ...lines.slice(1).map((line) => `   ${line}`),
    ...(tried && works_now === false ? [`   ${FAILS_NOW}`] : []),
    ...joinPieces(listChangeParts(change).map(escapeText), look).map((line) => `   ${line}`),
  ];
}

/** Longer lines are hard to read on wide terminals. */
const MAX_WIDTH = 120;
const limitWidth = ({ width }: Look): number => Math.min(width, MAX_WIDTH);

/** Formats a title with its lines below it; a single line follows the title if it fits. */
function formatSection(title: string, lines: readonly string[], look: Look): string[] {
  const { paint } = look;
  const [only = "", ...others] = lines;
  if (lines.length === 0) return [];
  if (others.length === 0 && measureWidth(` ${title}: ${only}`) <= limitWidth(look))
    return [` ${paint("bold", `${title}:`)} ${only}`];
  return [` ${paint("bold", title)}`, ...lines.map((line) => `   ${line}`)];
}

/** Joins pieces to lines. A piece is only wrapped if it is longer than a line. */
function joinPieces(pieces: readonly string[], look: Look, between = "  "): string[] {
  const lines: string[] = [];
  const room = limitWidth(look) - 4;
  for (const piece of pieces) {
    const line = lines.at(-1);
    if (line !== undefined && measureWidth(`${line}${between}${piece}`) <= room)
      lines[lines.length - 1] = `${line}${between}${piece}`;
    else if (measureWidth(piece) <= room) lines.push(piece);
    else lines.push(...wrap(piece, room - 2).map((part, at) => (at === 0 ? part : `  ${part}`)));
  }
  return lines;
}
