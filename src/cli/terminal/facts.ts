// Facts for a person, counted in words; and the result of an act or a trigger: what happened, and the members of the record that was made
// or changed.
import type { Schemas } from "../../client/control.ts";
import { toWords } from "../../engine/domain/index.ts";
import { formatAmount } from "../../platform/amount-text.ts";
import { count } from "../../platform/count.ts";
import { plain } from "./line.ts";
import { columns, cut, type Terminal } from "./terminal.ts";

type Facts = Schemas["Facts"];

/** Fact → the ids that it is about, in the order in which they came. */
function byFact(facts: Facts): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { fact, id } of facts) {
    const ids = found.get(fact);
    if (ids) ids.push(id);
    else found.set(fact, [id]);
  }
  return found;
}

/**
 * `2 journal entries created, 1 order updated`; without those that say no more than `obvious`. Facts of one name are
 * counted together.
 */
export const counted = (facts: Facts, obvious = ""): string =>
  [...byFact(facts)]
    .filter(([fact]) => fact !== obvious)
    .map(([fact, ids]) => worded(fact, ids.length))
    .join(", ");

function worded(fact: string, number: number): string {
  const [thing, happened] = toWords(fact);
  return `${count(number, thing, many(thing))} ${happened}`;
}

/** `booking.cancelled bkg-evening, 1 order updated`: the first by its id, since it names the subject; the rest counted. */
export function brief(facts: Facts): string {
  const [first] = facts;
  if (!first) return "";
  // Several of one kind have no one id to name.
  const isAlone = facts.filter(({ fact }) => fact === first.fact).length === 1;
  if (!isAlone) return counted(facts);
  return [`${first.fact} ${first.id}`, counted(facts.slice(1))].filter(Boolean).join(", ");
}

// All things of the service have regular plurals.
const many = (thing: string): string => (thing.endsWith("y") ? `${thing.slice(0, -1)}ies` : `${thing}s`);

/**
 * A fact that happened once has its id; of several there are `--json` and `sandbox logs`. `what`: the act or the kind
 * that was triggered.
 */
export function outcome(
  what: string,
  { result, facts, fact_count }: Schemas["ActAnswer"],
  { paint, width }: Pick<Terminal, "paint" | "width">,
): string {
  const happened = [...byFact(facts)].map(([fact, ids]) => [
    `  ${paint("green", fact)}`,
    ids.length === 1 ? plain(ids[0] ?? "") : paint("dim", `${ids.length} times`),
  ]);
  if (fact_count > facts.length) happened.push([`  and ${fact_count - facts.length} more`]);
  const members = Object.entries(result ?? {}).map(([name, value]) => [`  ${paint("dim", name)}`, displayOf(value)]);
  const head = facts.length === 0 ? `${what}: done, and nothing had to change.` : `${what}: done.`;
  const lines = [...columns(happened), ...(members.length > 0 ? ["", ...columns(members)] : [])];
  return [head, ...lines.map((line) => cut(line, width))].join("\n");
}

/** In words; the whole is `--json`. */
function displayOf(value: unknown): string {
  if (Array.isArray(value)) return value.every(isPlain) ? value.join(", ") : count(value.length, "item");
  if (typeof value !== "object" || value === null) return plain(String(value));
  // An amount is known by its members, since the result has no schema here.
  const { currency, value: amount, exponent } = value as Record<string, unknown>;
  if (typeof currency === "string" && Number.isInteger(amount) && Number.isInteger(exponent))
    return formatAmount(value as Parameters<typeof formatAmount>[0]);
  return Object.entries(value)
    .filter(([, member]) => isPlain(member))
    .map(([name, member]) => `${name} ${plain(String(member))}`)
    .join(", ");
}

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;
