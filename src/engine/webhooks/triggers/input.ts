// The inputs of a trigger replace fields of its sample, by path (`customer.email`, `items.0.quantity`) or whole. Rule: a value has
// the form of the value that it replaces, so that no trigger makes a record that the rules would not make.

import { reject } from "../../domain/kernel/domain-error.ts";
import { isLocal } from "../../domain/kernel/instant.ts";
import type { EventKind } from "../../domain/kernel/kinds.ts";
import type { Metadata } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";

export type TriggerInput = Readonly<Record<string, unknown>>;

/** Causes a kind, by the same rules as a request, on the record that the input names or on a suitable one; returns that record. */
export type Trigger = (tx: Transaction, inputs: TriggerInput) => object;

/** Rejects with NOTHING_SUITABLE: no record is there that the trigger could use. */
export function rejectKind(kind: EventKind, what: string): never {
  return reject("NOTHING_SUITABLE", { kind, what });
}

/** Fields that a record has only where the inputs name them, each with a value of its form. */
const OPTIONAL_FIELDS = {
  metadata: {} as Metadata,
  source: "A source",
  internal_note: "A note",
};

/** The sample with those of the optional fields that the inputs name. */
export function withOptional<S extends object, Name extends keyof typeof OPTIONAL_FIELDS>(
  sample: S,
  inputs: TriggerInput,
  names: readonly Name[],
): S & Partial<Pick<typeof OPTIONAL_FIELDS, Name>> {
  const firstSteps = new Set(Object.keys(inputs).map((path) => path.split(".")[0]));
  const named = names.filter((name) => firstSteps.has(name)).map((name) => [name, OPTIONAL_FIELDS[name]]);
  return { ...Object.fromEntries(named), ...sample };
}

/** The sample with the inputs in place of its values. */
export function withInputs<S extends object>(sample: S, inputs: TriggerInput): S {
  const put = (made: unknown, [path, value]: [string, unknown]) =>
    setAt(made, path.split("."), value, `body.set.${path}`);
  return Object.entries(inputs).reduce<unknown>(put, sample) as S;
}

/** Only the fields that the inputs name, since the rest of the sample is unchanged; without any, `metadata` counts the triggers. */
export function changeOf<S extends object>(
  sample: S,
  inputs: TriggerInput,
  { metadata = {} }: { metadata?: Metadata },
): Partial<S> & { metadata?: Metadata } {
  // The first step of each path.
  const given = new Set(Object.keys(inputs).map((path) => path.split(".")[0]));
  const fields = Object.entries(withInputs(sample, inputs)).filter(
    ([name]) => given.has(name) && !name.endsWith("_id"),
  );
  const counted = { ...metadata, triggered: String(Number(metadata.triggered ?? 0) + 1) };
  return (fields.length > 0 ? Object.fromEntries(fields) : { metadata: counted }) as Partial<S> & {
    metadata?: Metadata;
  };
}

/** The id in this input. */
export function getId(inputs: TriggerInput, name: string): string | undefined {
  const id = inputs[name];
  if (id === undefined) return undefined;
  return typeof id === "string" && id !== "" ? id : rejectInput(`body.set.${name}`, "an id");
}

/** The word in this input, or the first. */
export function readChoice<const Word extends string>(
  inputs: TriggerInput,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const word = inputs[name] ?? words[0];
  return words.find((known) => known === word) ?? rejectInput(`body.set.${name}`, `one of ${words.join(", ")}`);
}

function setAt(sample: unknown, [step, ...rest]: readonly string[], value: unknown, path: string): unknown {
  if (step === undefined) return checkValue(sample, value, path);
  if (Array.isArray(sample)) {
    const index = Number(step);
    if (!/^\d+$/.test(step) || index > sample.length) rejectInput(path, `an index, 0 to ${sample.length}`);
    // One after the last appends, in the form of the first item.
    return sample.toSpliced(index, 1, setAt(sample[index] ?? sample[0], rest, value, path));
  }
  if (!isRecord(sample)) return rejectInput(path, "a path to a field");
  return { ...sample, [step]: setAt(checkField(sample, step, path), rest, value, path) };
}

/** As the API description says. */
const MAX_METADATA_NAME = 40;
const MAX_METADATA_VALUE = 500;

function checkField(sample: Record<string, unknown>, name: string, path: string): unknown {
  if (Object.hasOwn(sample, name)) return sample[name];
  if (!isMetadata(path) || name === "metadata")
    return rejectInput(path, `one of these fields: ${Object.keys(sample).join(", ")}`);
  // Any name is allowed, with a text.
  return name.length <= MAX_METADATA_NAME ? "" : rejectInput(path, `a name of at most ${MAX_METADATA_NAME} characters`);
}

const isMetadata = (path: string): boolean => /^body\.set\.metadata(\.|$)/.test(path);

/** The value, if it has the form of the sample. */
function checkValue(sample: unknown, value: unknown, path: string): unknown {
  if (typeof sample === "string" && isMetadata(path) && String(value).length > MAX_METADATA_VALUE)
    rejectInput(path, `a text of at most ${MAX_METADATA_VALUE} characters`);
  if (typeof sample === "number")
    return Number.isInteger(value) && (value as number) >= 1
      ? value
      : rejectInput(path, "a whole number of at least 1");
  if (typeof sample === "string") return checkText(sample, value, path);
  if (Array.isArray(sample)) {
    if (!Array.isArray(value) || value.length === 0) return rejectInput(path, "a list of at least one item");
    return value.map((item, index) => checkValue(sample[0], item, `${path}.${index}`));
  }
  if (!isRecord(sample)) return typeof value === typeof sample ? value : rejectInput(path, `a ${typeof sample}`);
  if (!isRecord(value)) return rejectInput(path, "an object");
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    checkValue(checkField(sample, name, path), field, `${path}.${name}`),
  ]);
  return { ...sample, ...Object.fromEntries(fields) };
}

/** By the look of the sample, the form that a value must have. */
const FORMS: readonly [what: string, form: (text: string) => boolean][] = [
  ["a local date-time such as 2030-06-01T09:00:00", isLocal],
  ["an e-mail address", (text) => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text)],
  ["a decimal such as 0.25", (text) => /^\d+\.\d+$/.test(text)],
  ["a currency such as DKK", (text) => /^[A-Z]{3}$/.test(text)],
];

function checkText(sample: string, value: unknown, path: string): string {
  if (typeof value !== "string" || value === "") return rejectInput(path, "a text");
  const form = FORMS.find(([, fits]) => fits(sample));
  return !form || form[1](value) ? value : rejectInput(path, form[0]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function rejectInput(path: string, expected: string): never {
  return reject("INVALID_INPUT", { path, what: `give ${expected}.` });
}
