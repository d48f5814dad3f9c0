// An explanation for a person: what was rejected and by which check, what that rests on and what would work; or what caused what.
import type { Schemas } from "../../client/control.ts";
import { FAILS_NOW, formatBasis, formatOffer, getMark, listChangeParts, listCommands } from "../../client/why-lines.ts";
import { createStory, type Piece, type StoryLine, type StorySection } from "../../client/why-story.ts";
import { count } from "../../platform/count.ts";
import { type Look, plain, statusText, timeOf } from "./line.ts";
import { type Style, widthOf, wrap } from "./terminal.ts";

type Why = Schemas["Why"];

/** Characters of a value within a sentence. */
const LONGEST_VALUE = 60;
const MOST_LINES = 40;
/** Of what belongs to one line. */
const MOST_BELOW = 12;

/** `basis`: what a rule rests on, at the end. */
export function whyView(why: Why, look: Look, basis = false): string {
  const { paint } = look;
  return [
    ...headOf(why, look),
    ...(why.refusal ? refusalLines(why, look) : []),
    ...createStory(why, { longest: LONGEST_VALUE }).flatMap((each) => section(each.title, drawn(each, look), look)),
    ...(why.notes ?? []).flatMap((note) =>
      wrap(plain(note), fitWidth(look) - 2).map((line) => paint("dim", ` ${line}`)),
    ),
    ...(basis ? basisSection(why, look) : []),
  ].join("\n");
}

/** What caused it and what it caused, without what was rejected. */
export const storyLines = (why: Why, look: Look, { full }: { full: boolean }): string[] =>
  createStory(why, { longest: full ? Number.POSITIVE_INFINITY : LONGEST_VALUE }).flatMap((each) =>
    section(each.title, drawn(each, look), look),
  );

/** `WHY 409  createBooking req-12   12:04:01 (world 2030-06-01 09:02:00, held)`. */
function headOf({ title, id, at, wall_at, clock, refusal, kind }: Why, look: Look): string[] {
  const { paint } = look;
  const word = refusal ? `WHY ${statusText(refusal.status, paint)}` : "WHY";
  const when = `${wall_at ? `${timeOf(wall_at)} ` : ""}(world ${at.slice(0, 19).replace("T", " ")}${clock ? `, ${clock}` : ""})`;
  const name = kind === "request" || kind === "act" ? plain(title) : `${kind} ${plain(title)}`;
  const named = title.includes(id) ? name : `${name} ${paint("dim", plain(id))}`;
  const line = `${paint("bold", word)}  ${named}`;
  // Measured with the widest word, so that the layout does not depend on the status.
  if (widthOf(`WHY 409  ${name} ${id}  ${when}`) <= fitWidth(look)) return [`${line}  ${paint("dim", when)}`];
  return [line, `  ${paint("dim", when)}`];
}

function drawn({ lines, between }: StorySection, look: Look): string[] {
  if (between !== undefined) {
    const pieces = lines.map((line) => line.pieces.map((piece) => painted(piece, look)).join(" "));
    return flow(pieces, look, between);
  }
  // A long story is cut; --json has the whole.
  const left = lines.length - MOST_LINES;
  return [
    ...lines.slice(0, MOST_LINES).flatMap((line) => lineDrawn(line, look)),
    ...(left > 0 ? [look.paint("dim", `${left} more ${left === 1 ? "is" : "are"} in --json`)] : []),
  ];
}

function lineDrawn({ pieces, between = " ", below = [], folded }: StoryLine, look: Look): string[] {
  const words = pieces.map((piece) => painted(piece, look));
  // The console unfolds what is folded here.
  const visible = folded ? [] : below.slice(0, MOST_BELOW);
  const left = folded ? 0 : below.length - visible.length;
  return [
    ...flow(words, look, between),
    ...visible.flatMap((line) => lineDrawn(line, look)).map((line) => `  ${line}`),
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

const painted = ({ text, as }: Piece, { paint }: Look): string =>
  as === undefined ? plain(text) : paint(STYLES[as], plain(text));

type Refusal = Schemas["WhyRefusal"];
type Check = Schemas["WhyCheck"];

/** What works comes first; what it rests on is for who asks for it. Empty where nothing was refused. */
function refusalLines(why: Schemas["Why"], look: Look): string[] {
  const { refusal } = why;
  if (!refusal) return [];
  const { code, message, smallest, note } = refusal;
  const sentence = code === "" ? message : `${code}: ${message}`;
  return [
    ...wrapped(plain(sentence), look),
    ...(smallest
      ? [...changeLines(smallest, look), ...listCommands(smallest, why).map((line) => `   ${look.paint("cyan", line)}`)]
      : []),
    ...checkLines(refusal, look),
    ...(note === undefined ? [] : wrapped(note, look).map((line) => look.paint("dim", line))),
  ];
}

const basisSection = ({ refusal }: Schemas["Why"], look: Look): string[] =>
  section("rests on", refusal?.rests_on.flatMap((basis) => basisLines(basis, look)) ?? [], look);

const wrapped = (text: string, look: Look): string[] => wrap(text, fitWidth(look) - 2).map((line) => ` ${line}`);

/** Checks of the transport have names in small letters; those of the rules are codes, and are numbered. */
const isCode = ({ name }: Check): boolean => /^[A-Z]/.test(name);

function checkLines({ checks }: Refusal, look: Look): string[] {
  const transport = checks
    .filter((check) => !isCode(check))
    // The scope is printed in words even where it passed: it is what people look for first.
    .map((check) => worded(check, look, check.passed === false || check.name === "scope"));
  const rules = checks.filter(isCode).map((check, index) => `${index + 1} ${worded(check, look, true)}`);
  return [...flow(transport, look, " · ").map((line) => ` ${line}`), ...flow(rules, look).map((line) => `   ${line}`)];
}

function worded(check: Check, { paint }: Look, whole: boolean): string {
  const { name, passed, looked_at } = check;
  const mark = paint(passed === null ? "dim" : passed ? "green" : "red", getMark(check)[0]);
  const title = passed === false ? paint("bold", name) : passed === null ? paint("dim", name) : name;
  return `${title} ${mark}${whole && looked_at !== "" ? ` ${plain(looked_at)}` : ""}`;
}

function basisLines(basis: Refusal["rests_on"][number], look: Look): string[] {
  const [first = "", ...rest] = wrap(formatBasis(basis), fitWidth(look) - 6);
  return [first, ...rest.map((line) => `  ${line}`)];
}

type Change = NonNullable<Refusal["smallest"]>;

/** The change in words, and its values. */
export function changeLines(change: Change, look: Look): string[] {
  const { paint } = look;
  const { text, tried, works_now } = change;
  const head = formatOffer(change);
  const lines = wrap(plain(text), fitWidth(look) - head.length - 4);
  return [
    ` ${paint("bold", `${head}:`)} ${paint("green", lines[0] ?? "")}`,
    ...lines.slice(1).map((line) => `   ${line}`),
    ...(tried && works_now === false ? [`   ${FAILS_NOW}`] : []),
    ...flow(listChangeParts(change).map(plain), look).map((line) => `   ${line}`),
  ];
}

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 120;
/** Columns that an explanation may use. */
const fitWidth = ({ width }: Look): number => Math.min(width, WIDEST);

/** A title and its lines; a single line beside it, where that has room. */
function section(title: string, lines: readonly string[], look: Look): string[] {
  const { paint } = look;
  const [only = "", ...others] = lines;
  if (lines.length === 0) return [];
  if (others.length === 0 && widthOf(bare(` ${title}: ${only}`)) <= fitWidth(look))
    return [` ${paint("bold", `${title}:`)} ${only}`];
  return [` ${paint("bold", title)}`, ...lines.map((line) => `   ${line}`)];
}

/** Pieces one after the other, in lines that the screen holds; no piece is broken that fits into a line. */
function flow(pieces: readonly string[], look: Look, between = "  "): string[] {
  const lines: string[] = [];
  const room = fitWidth(look) - 4;
  for (const piece of pieces) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(bare(`${line}${between}${piece}`)) <= room)
      lines[lines.length - 1] = `${line}${between}${piece}`;
    else if (widthOf(bare(piece)) <= room) lines.push(piece);
    else lines.push(...wrap(piece, room - 2).map((part, at) => (at === 0 ? part : `  ${part}`)));
  }
  return lines;
}

/** Without the codes of colours, which take no room. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const bare = (text: string): string => text.replace(/\u001b\[[\d;]*m/g, "");
