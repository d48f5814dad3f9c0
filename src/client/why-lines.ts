// Formats the parts of an explanation of a rejection. The command line, the MCP tools, the console, failed tests and scenarios each add
// their own layout.
import type { Schemas } from "../contract/schemas.ts";

type Rejection = Schemas["WhyRefusal"];
type Change = Schemas["WhyChange"];
type Check = Schemas["WhyCheck"];

/** Returns the heading of a suggested change. */
export function formatOffer({ tried, works_now, moment }: Change): string {
  if (!tried) return "what to do";
  return works_now ? "smallest change that works" : `worked at ${moment?.at ?? "that moment"}`;
}

/** Lists the parts of a change: its acts, the fields that it sets, and the scopes of its token. */
export function listChangeParts({ first = [], set = {}, scopes = [] }: Change): string[] {
  return [
    ...first.map(({ act, input }) => [act, ...formatAssignments(input)].join(" ")),
    // A command names fields of the body without the prefix.
    ...formatAssignments(set).map((each) => each.replace(/^body\./, "")),
    ...(scopes.length > 0 ? [`scope=${scopes.join(" ")}`] : []),
  ];
}

const MAX_VALUE_LENGTH = 200;

function formatAssignments(members: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(members).map(([name, value]) => {
    const text = JSON.stringify(value);
    return `${name}=${text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH - 1)}…` : text}`;
  });
}

/** Returns the commands that apply the change. If it works only in the past, the first one forks the world at that time. */
export function listCommands({ tried, works_now, moment }: Change, of: { id: string; world: string }): string[] {
  if (!tried) return [];
  if (works_now) return [`sandbox why ${of.id} --apply`];
  if (!moment) return [];
  return [`sandbox world fork ${of.world} --at ${moment.seq}`, `sandbox why ${of.id} --apply --world <the fork>`];
}

export const FAILS_NOW = "It no longer works now.";

/** Returns the mark of a check and its meaning. */
export function getMark({ passed }: Check): readonly [mark: string, says: string] {
  if (passed === null) return ["–", "not reached"];
  return passed ? ["✓", "passed"] : ["✗", "failed"];
}

export const formatCheck = (check: Check): string =>
  `${getMark(check)[0]} ${check.name}${check.looked_at === "" ? "" : `: ${check.looked_at}`}`;

export function formatBasis({ kind, id, value, text }: Rejection["rests_on"][number]): string {
  if (kind === "assumption") return `assumption ${id}=${value}: ${text}`;
  return kind === "specification" && id ? `${id}: ${text}` : text;
}

/** Summarizes a rejection in at most two lines. */
export function summarizeRejection({ checks, smallest }: Rejection): string[] {
  const failed = checks.find(({ passed }) => passed === false);
  return [
    ...(failed ? [`${failed.name} looked at: ${failed.looked_at}`] : []),
    ...(smallest ? [`${formatOffer(smallest)}: ${[smallest.text, ...listChangeParts(smallest)].join("  ")}`] : []),
  ];
}
