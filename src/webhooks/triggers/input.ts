// What a trigger is asked to do otherwise: members of its sample, by path (`customer.email`, `items.0.quantity`) or whole. Rule: what
// is given has the form of what it takes the place of, so that no trigger makes a record that the rules would not make.

import { reject } from "../../domain/kernel/domain-error.ts";
import { isLocal } from "../../domain/kernel/instant.ts";
import type { EventKind } from "../../domain/kernel/kinds.ts";
import type { Metadata } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";

export type Input = Readonly<Record<string, unknown>>;

/** Causes a kind, by the same rules as a request, on the record that the input names or on a suitable one; returns that record. */
export type Trigger = (tx: Transaction, inputs: Input) => object;

export function nothingFor(kind: EventKind, what: string): never {
  return reject("NOTHING_SUITABLE", { kind, what });
}

/** The sample with the wishes in it. */
export function wished<S extends object>(sample: S, inputs: Input): S {
  const put = (made: unknown, [path, value]: [string, unknown]) =>
    placed(made, path.split("."), value, `body.set.${path}`);
  return Object.entries(inputs).reduce<unknown>(put, sample) as S;
}

/** Only what was asked for, since a sample shows what is there already; where nothing was, its metadata count the triggers. */
export function changed<S extends object>(
  sample: S,
  inputs: Input,
  { metadata = {} }: { metadata?: Metadata },
): Partial<S> & { metadata?: Metadata } {
  const asked = new Set(Object.keys(inputs).map((path) => path.split(".")[0]));
  const members = Object.entries(wished(sample, inputs)).filter(([name]) => asked.has(name) && !name.endsWith("_id"));
  const counted = { ...metadata, triggered: String(Number(metadata.triggered ?? 0) + 1) };
  return (members.length > 0 ? Object.fromEntries(members) : { metadata: counted }) as Partial<S> & {
    metadata?: Metadata;
  };
}

/** The id that was asked for. */
export function idIn(inputs: Input, name: string): string | undefined {
  const id = inputs[name];
  if (id === undefined) return undefined;
  return typeof id === "string" && id !== "" ? id : wrong(`body.set.${name}`, "an id");
}

/** One of a few words. */
export function oneOf<const Word extends string>(inputs: Input, name: string, words: readonly [Word, ...Word[]]): Word {
  const word = inputs[name] ?? words[0];
  return words.find((known) => known === word) ?? wrong(`body.set.${name}`, `one of ${words.join(", ")}`);
}

function placed(sample: unknown, [step, ...rest]: readonly string[], value: unknown, place: string): unknown {
  if (step === undefined) return alike(sample, value, place);
  if (Array.isArray(sample)) {
    const index = Number(step);
    if (!/^\d+$/.test(step) || index > sample.length) wrong(place, `the place of an item, 0 to ${sample.length}`);
    return sample.toSpliced(index, 1, placed(sample[index] ?? sample[0], rest, value, place));
  }
  if (!isRecord(sample)) return wrong(place, "a path to a member");
  return { ...sample, [step]: placed(memberOf(sample, step, place), rest, value, place) };
}

function memberOf(sample: Record<string, unknown>, name: string, place: string): unknown {
  return Object.hasOwn(sample, name)
    ? sample[name]
    : wrong(place, `one of these members: ${Object.keys(sample).join(", ")}`);
}

/** The value, when it has the form of the sample. */
function alike(sample: unknown, value: unknown, place: string): unknown {
  if (typeof sample === "number")
    return Number.isInteger(value) && (value as number) >= 1 ? value : wrong(place, "a whole number of at least 1");
  if (typeof sample === "string") return textLike(sample, value, place);
  if (Array.isArray(sample)) {
    if (!Array.isArray(value) || value.length === 0) return wrong(place, "a list of at least one");
    return value.map((item, index) => alike(sample[0], item, `${place}.${index}`));
  }
  if (!isRecord(sample)) return typeof value === typeof sample ? value : wrong(place, `a ${typeof sample}`);
  if (!isRecord(value)) return wrong(place, "an object");
  const members = Object.entries(value).map(([name, member]) => [
    name,
    alike(memberOf(sample, name, place), member, `${place}.${name}`),
  ]);
  return { ...sample, ...Object.fromEntries(members) };
}

const FORMS: readonly [what: string, form: (text: string) => boolean][] = [
  ["a local date-time such as 2030-06-01T09:00:00", isLocal],
  ["an e-mail address", (text) => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text)],
  ["a decimal such as 0.25", (text) => /^\d+\.\d+$/.test(text)],
  ["a currency such as DKK", (text) => /^[A-Z]{3}$/.test(text)],
];

function textLike(sample: string, value: unknown, place: string): string {
  if (typeof value !== "string" || value === "") return wrong(place, "a text");
  const form = FORMS.find(([, fits]) => fits(sample));
  return !form || form[1](value) ? value : wrong(place, form[0]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(place: string, wanted: string): never {
  return reject("INVALID_INPUT", { place, what: `give ${wanted}.` });
}
