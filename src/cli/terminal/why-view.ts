// An explanation for a person: what was refused and by which check, what that rests on and what would work; or what caused what.
import type { Schemas } from "../../client/control.ts";
import { type Piece, type StoryLine, type StorySection, storyOf } from "../../client/why-story.ts";
import { count } from "../../platform/count.ts";
import type { Look } from "./line.ts";
import { plain, statusText, timeOf } from "./line.ts";
import { type Style, widthOf, wrap } from "./terminal.ts";
import { flow, roomOf, section } from "./why-layout.ts";
import { basisSection, refusalLines } from "./why-refusal.ts";

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
    ...storyOf(why, { longest: LONGEST_VALUE }).flatMap((each) => section(each.title, drawn(each, look), look)),
    ...(why.notes ?? []).flatMap((note) => wrap(plain(note), roomOf(look) - 2).map((line) => paint("dim", ` ${line}`))),
    ...(basis ? basisSection(why, look) : []),
  ].join("\n");
}

/** What caused it and what it caused, without what was rejected. */
export const storyLines = (why: Why, look: Look, { full }: { full: boolean }): string[] =>
  storyOf(why, { longest: full ? Number.POSITIVE_INFINITY : LONGEST_VALUE }).flatMap((each) =>
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
  if (widthOf(`WHY 409  ${name} ${id}  ${when}`) <= roomOf(look)) return [`${line}  ${paint("dim", when)}`];
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
