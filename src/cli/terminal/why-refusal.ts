// The refusal of an explanation: the smallest change that works, the checks in their order, and what the rule rests on.
import type { Schemas } from "../../client/control.ts";
import { basisLine, commandFor, FAILS_NOW, markOf, offerOf, piecesOf } from "../../client/why-lines.ts";
import type { Look } from "./line.ts";
import { plain } from "./line.ts";
import { wrap } from "./terminal.ts";
import { flow, roomOf, section } from "./why-layout.ts";

type Refusal = Schemas["WhyRefusal"];
type Check = Schemas["WhyCheck"];

/** What works comes first; what it rests on is for who asks for it. Empty where nothing was refused. */
export function refusalLines(why: Schemas["Why"], look: Look): string[] {
  const { refusal } = why;
  if (!refusal) return [];
  const { code, message, smallest, note } = refusal;
  const sentence = code === "" ? message : `${code}: ${message}`;
  return [
    ...wrapped(plain(sentence), look),
    ...(smallest
      ? [...changeLines(smallest, look), ...commandFor(smallest, why).map((line) => `   ${look.paint("cyan", line)}`)]
      : []),
    ...checkLines(refusal, look),
    ...(note === undefined ? [] : wrapped(note, look).map((line) => look.paint("dim", line))),
  ];
}

export const basisSection = ({ refusal }: Schemas["Why"], look: Look): string[] =>
  section("rests on", refusal?.rests_on.flatMap((basis) => basisLines(basis, look)) ?? [], look);

const wrapped = (text: string, look: Look): string[] => wrap(text, roomOf(look) - 2).map((line) => ` ${line}`);

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
  const mark = paint(passed === null ? "dim" : passed ? "green" : "red", markOf(check)[0]);
  const title = passed === false ? paint("bold", name) : passed === null ? paint("dim", name) : name;
  return `${title} ${mark}${whole && looked_at !== "" ? ` ${plain(looked_at)}` : ""}`;
}

function basisLines(basis: Refusal["rests_on"][number], look: Look): string[] {
  const [first = "", ...rest] = wrap(basisLine(basis), roomOf(look) - 6);
  return [first, ...rest.map((line) => `  ${line}`)];
}

type Change = NonNullable<Refusal["smallest"]>;

/** The change in words, and its values. */
export function changeLines(change: Change, look: Look): string[] {
  const { paint } = look;
  const { text, tried, works_now } = change;
  const head = offerOf(change);
  const lines = wrap(plain(text), roomOf(look) - head.length - 4);
  return [
    ` ${paint("bold", `${head}:`)} ${paint("green", lines[0] ?? "")}`,
    ...lines.slice(1).map((line) => `   ${line}`),
    ...(tried && works_now === false ? [`   ${FAILS_NOW}`] : []),
    ...flow(piecesOf(change).map(plain), look).map((line) => `   ${line}`),
  ];
}
