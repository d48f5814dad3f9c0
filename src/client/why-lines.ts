// An explanation in words: what the command line, the model's tools, the console, failed tests and scenarios say of a refusal, each in its
// own layout.
import type { Schemas } from "../contract/schemas.ts";

type Refusal = Schemas["WhyRefusal"];
type Change = Schemas["WhyChange"];
type Check = Schemas["WhyCheck"];

/** What a change is offered as. */
export function offerOf({ tried, works_now, moment }: Change): string {
  if (!tried) return "what to do";
  return works_now ? "smallest change that works" : `worked at ${moment?.at ?? "that moment"}`;
}

/** What a change does, a piece each: its acts, the members that it sets, and the scopes of its token. */
export function piecesOf({ first = [], set = {}, scopes = [] }: Change): string[] {
  return [
    ...first.map(({ act, input }) => [act, ...assigned(input)].join(" ")),
    // A command talks of its own members.
    ...assigned(set).map((each) => each.replace(/^body\./, "")),
    ...(scopes.length > 0 ? [`scope=${scopes.join(" ")}`] : []),
  ];
}

const LONGEST_VALUE = 200;

function assigned(members: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(members).map(([name, value]) => {
    const text = JSON.stringify(value);
    return `${name}=${text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text}`;
  });
}

/** The command that sends it, or that makes a copy of the world in which it works. */
export function commandFor({ tried, works_now, moment }: Change, of: { id: string; world: string }): string[] {
  if (!tried) return [];
  if (works_now) return [`sandbox why ${of.id} --apply`];
  if (!moment) return [];
  return [`sandbox world fork ${of.world} --at ${moment.seq}`, `sandbox why ${of.id} --apply --world <the fork>`];
}

export const FAILS_NOW = "It does not work in the world as it is now.";

/** A mark and what it says. */
export function markOf({ passed }: Check): readonly [mark: string, says: string] {
  if (passed === null) return ["–", "not reached"];
  return passed ? ["✓", "passed"] : ["✗", "failed"];
}

export const checkLine = (check: Check): string =>
  `${markOf(check)[0]} ${check.name}${check.looked_at === "" ? "" : `: ${check.looked_at}`}`;

export function basisLine({ kind, id, value, text }: Refusal["rests_on"][number]): string {
  if (kind === "assumption") return `assumption ${id}=${value}: ${text}`;
  return kind === "specification" && id ? `${id}: ${text}` : text;
}

/** Two lines, for a report that shows many things. */
export function reasonLines({ checks, smallest }: Refusal): string[] {
  const failed = checks.find(({ passed }) => passed === false);
  return [
    ...(failed ? [`${failed.name} looked at: ${failed.looked_at}`] : []),
    ...(smallest ? [`${offerOf(smallest)}: ${[smallest.text, ...piecesOf(smallest)].join("  ")}`] : []),
  ];
}
