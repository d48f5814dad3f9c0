// The refusal of an explanation: the checks in their order, what the rule rests on, and the smallest change that works.
import type { Schemas } from "../../client/control.ts";
import { inWordsOfCommands } from "../rejection.ts";
import { plain } from "./line.ts";
import { wrap } from "./terminal.ts";
import { flow, roomOf, type Screen, section } from "./why-layout.ts";

type Refusal = Schemas["WhyRefusal"];
type Check = Schemas["WhyCheck"];

export function refusalLines({ refusal, id }: Schemas["Why"], screen: Screen): string[] {
  if (!refusal) return [];
  const { paint } = screen;
  const { code, message, rests_on, smallest, note } = refusal;
  const sentence = code === "" ? message : `${code}: ${message}`;
  return [
    ...wrapped(plain(inWordsOfCommands(sentence)), screen),
    ...checkLines(refusal, screen),
    ...section(
      "rests on",
      rests_on.flatMap((basis) => basisLines(basis, screen)),
      screen,
    ),
    ...(smallest ? smallestLines(smallest, id, screen) : []),
    ...(note === undefined ? [] : wrapped(note, screen).map((line) => paint("dim", line))),
  ];
}

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

function smallestLines({ text, set, tried }: NonNullable<Refusal["smallest"]>, id: string, screen: Screen): string[] {
  const { paint } = screen;
  const values = Object.entries(set ?? {}).map(([path, value]) => `${shortPath(path)}=${JSON.stringify(value)}`);
  const head = tried ? "smallest change that works" : "what to do";
  const lines = wrap(plain(inWordsOfCommands(text)), roomOf(screen) - head.length - 4);
  const command = replayable(set, tried)
    ? [
        `sandbox replay ${id} ${Object.entries(set ?? {})
          .map(
            ([path, value]) =>
              `--set ${shellWord(`${shortPath(path)}=${typeof value === "string" ? value : JSON.stringify(value)}`)}`,
          )
          .join(" ")}`,
      ]
    : [];
  return [
    ` ${paint("bold", `${head}:`)} ${paint("green", lines[0] ?? "")}`,
    ...lines.slice(1).map((line) => `   ${line}`),
    ...(command.length > 0
      ? command.map((line) => `   ${paint("cyan", line)}`)
      : flow(values, screen).map((line) => `   ${line}`)),
  ];
}

/** Members of the body can be set by a command. */
const replayable = (set: Readonly<Record<string, unknown>> | undefined, tried: boolean): boolean =>
  tried &&
  set !== undefined &&
  Object.entries(set).every(([path, value]) => path.startsWith("body.") && value !== null);

const shellWord = (text: string): string =>
  /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A command talks of its own members. */
const shortPath = (path: string): string => path.replace(/^body\./, "");
