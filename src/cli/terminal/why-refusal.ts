// The refusal of an explanation: the smallest change that works, the checks in their order, and what the rule rests on.
import type { Schemas } from "../../client/control.ts";
import { inWordsOfCommands } from "../rejection.ts";
import { plain } from "./line.ts";
import { cut, wrap } from "./terminal.ts";
import { flow, roomOf, type Screen, section } from "./why-layout.ts";

type Refusal = Schemas["WhyRefusal"];
type Check = Schemas["WhyCheck"];

/** What works comes first; what it rests on is for who asks for it. */
export function refusalLines(why: Schemas["Why"], screen: Screen): string[] {
  const { refusal } = why;
  if (!refusal) return [];
  const { code, message, smallest, note } = refusal;
  const sentence = code === "" ? message : `${code}: ${message}`;
  return [
    ...wrapped(plain(inWordsOfCommands(sentence)), screen),
    ...(smallest ? [...changeLines(smallest, screen), ...commandLines(smallest, why, screen)] : []),
    ...checkLines(refusal, screen),
    ...(note === undefined ? [] : wrapped(note, screen).map((line) => screen.paint("dim", line))),
  ];
}

export const basisSection = ({ refusal }: Schemas["Why"], screen: Screen): string[] =>
  section("rests on", refusal?.rests_on.flatMap((basis) => basisLines(basis, screen)) ?? [], screen);

const wrapped = (text: string, screen: Screen): string[] => wrap(text, roomOf(screen) - 2).map((line) => ` ${line}`);

/** Checks of the transport have names in small letters; those of the rules are codes, and are numbered. */
const isCode = ({ name }: Check): boolean => /^[A-Z]/.test(name);

function checkLines({ checks }: Refusal, screen: Screen): string[] {
  const transport = checks
    .filter((check) => !isCode(check))
    .map((check) => worded(check, screen, check.passed === false || check.name === "scope"));
  const rules = checks.filter(isCode).map((check, index) => `${index + 1} ${worded(check, screen, true)}`);
  return [
    ...flow(transport, screen, " · ").map((line) => ` ${line}`),
    ...flow(rules, screen).map((line) => `   ${line}`),
  ];
}

function worded({ name, passed, looked_at }: Check, { paint }: Screen, whole: boolean): string {
  const mark = passed === null ? paint("dim", "–") : passed ? paint("green", "✓") : paint("red", "✗");
  const title = passed === false ? paint("bold", name) : passed === null ? paint("dim", name) : name;
  return `${title} ${mark}${whole && looked_at !== "" ? ` ${plain(inWordsOfCommands(looked_at))}` : ""}`;
}

function basisLines({ kind, text, id, value }: Refusal["rests_on"][number], screen: Screen): string[] {
  const head = kind === "assumption" ? `assumption ${id}=${value}: ` : kind === "specification" && id ? `${id}: ` : "";
  const [first = "", ...rest] = wrap(`${head}${text}`, roomOf(screen) - 6);
  return [first, ...rest.map((line) => `  ${line}`)];
}

type Change = NonNullable<Refusal["smallest"]>;

/** The change in words, and its values. */
export function changeLines(change: Change, screen: Screen): string[] {
  const { paint } = screen;
  const { text, set, first = [], scopes, tried, works_now, moment } = change;
  const head = !tried
    ? "what to do"
    : works_now
      ? "smallest change that works"
      : `worked at ${moment?.at ?? "that moment"}`;
  const lines = wrap(plain(inWordsOfCommands(text)), roomOf(screen) - head.length - 4);
  const values = Object.entries(set ?? {}).map(
    ([path, value]) => `${shortPath(path)}=${cut(JSON.stringify(value), MOST_SHOWN)}`,
  );
  return [
    ` ${paint("bold", `${head}:`)} ${paint("green", lines[0] ?? "")}`,
    ...lines.slice(1).map((line) => `   ${line}`),
    ...(tried && works_now === false ? ["   It does not work in the world as it is now."] : []),
    ...flow(
      [
        ...first.map(
          ({ act, input }) =>
            `${act} ${Object.entries(input)
              .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
              .join(" ")}`,
        ),
        ...values,
        ...(scopes?.length ? [`scope=${scopes.join(" ")}`] : []),
      ].map(plain),
      screen,
    ).map((line) => `   ${line}`),
  ];
}

/** Sends it; or takes a copy of the world in which it works. */
function commandLines(
  { tried, works_now, moment }: Change,
  { id, world }: Schemas["Why"],
  { paint }: Screen,
): string[] {
  if (tried && works_now) return [`   ${paint("cyan", `sandbox why ${id} --apply`)}`];
  return tried && moment ? [`   ${paint("cyan", `sandbox world fork ${world} --at ${moment.seq}`)}`] : [];
}

const MOST_SHOWN = 200;

/** A command talks of its own members. */
const shortPath = (path: string): string => path.replace(/^body\./, "");
