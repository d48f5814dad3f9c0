// Replaces fields of a trigger's sample with its inputs, by path (`customer.email`, `items.0.quantity`) or as a complete value. Rule: a
// value has the form of the value that it replaces, so that triggers can't create records that the rules would reject.

import { reject } from "../../domain/kernel/domain-error.ts";
import { isLocal } from "../../domain/kernel/instant.ts";
import type { EventKind } from "../../domain/kernel/kinds.ts";
import type { Metadata } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";

export type TriggerInput = Readonly<Record<string, unknown>>;

/** Causes a kind on the record in the input, or on a suitable one, by the same rules as a request. Returns the record. */
export type Trigger = (tx: Transaction, inputs: TriggerInput) => object;

/** Rejects with NOTHING_SUITABLE, because the trigger found no record to use. */
export function rejectKind(kind: EventKind, what: string): never {
  return reject("NOTHING_SUITABLE", { kind, what });
}

/** The sample contains these fields only if the inputs name them. The values define the form. */
const OPTIONAL_FIELDS = {
  metadata: {} as Metadata,
  source: "A source",
  internal_note: "A note",
};

/** Adds the optional fields that the inputs name to the sample. */
export function addOptional<S extends object, Name extends keyof typeof OPTIONAL_FIELDS>(
  sample: S,
  inputs: TriggerInput,
  names: readonly Name[],
): S & Partial<Pick<typeof OPTIONAL_FIELDS, Name>> {
  const firstSteps = new Set(Object.keys(inputs).map((path) => path.split(".")[0]));
  const named = names.filter((name) => firstSteps.has(name)).map((name) => [name, OPTIONAL_FIELDS[name]]);
  return { ...Object.fromEntries(named), ...sample };
}

/** Returns the sample with its values replaced by the inputs. */
export function applyInputs<S extends object>(sample: S, inputs: TriggerInput): S {
  const put = (made: unknown, [path, value]: [string, unknown]) =>
    setByPath(made, path.split("."), value, `body.set.${path}`);
  return Object.entries(inputs).reduce<unknown>(put, sample) as S;
}

/** Returns the fields that the inputs name. Without inputs it increments a counter in `metadata`, so that the record changes. */
export function toChange<S extends object>(
  sample: S,
  inputs: TriggerInput,
  { metadata = {} }: { metadata?: Metadata },
): Partial<S> & { metadata?: Metadata } {
  const names = new Set(Object.keys(inputs).map((path) => path.split(".")[0]));
  const fields = Object.entries(applyInputs(sample, inputs)).filter(
    ([name]) => names.has(name) && !name.endsWith("_id"),
  );
  const counted = { ...metadata, triggered: String(Number(metadata.triggered ?? 0) + 1) };
  return (fields.length > 0 ? Object.fromEntries(fields) : { metadata: counted }) as Partial<S> & {
    metadata?: Metadata;
  };
}

/** Returns the id in the input `name`. */
export function readId(inputs: TriggerInput, name: string): string | undefined {
  const id = inputs[name];
  if (id === undefined) return undefined;
  return typeof id === "string" && id !== "" ? id : rejectInput(`body.set.${name}`, "an id");
}

/** Returns the word in the input `name`; the first word is the default. */
export function readChoice<const Word extends string>(
  inputs: TriggerInput,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const word = inputs[name] ?? words[0];
  return words.find((known) => known === word) ?? rejectInput(`body.set.${name}`, `one of ${words.join(", ")}`);
}

function setByPath(sample: unknown, [step, ...rest]: readonly string[], value: unknown, path: string): unknown {
  if (step === undefined) return checkValue(sample, value, path);
  if (Array.isArray(sample)) {
    const index = Number(step);
    if (!/^\d+$/.test(step) || index > sample.length) rejectInput(path, `an index, 0 to ${sample.length}`);
    // An index after the last item appends an item in the form of the first.
    return sample.toSpliced(index, 1, setByPath(sample[index] ?? sample[0], rest, value, path));
  }
  if (!isRecord(sample)) return rejectInput(path, "a path to a field");
  return { ...sample, [step]: setByPath(checkField(sample, step, path), rest, value, path) };
}

/** The limits are those of the API description. */
const MAX_METADATA_NAME = 40;
const MAX_METADATA_VALUE = 500;

function checkField(sample: Record<string, unknown>, name: string, path: string): unknown {
  if (Object.hasOwn(sample, name)) return sample[name];
  if (!isMetadata(path) || name === "metadata")
    return rejectInput(path, `one of these fields: ${Object.keys(sample).join(", ")}`);
  // Metadata accepts any name, and its values are text.
  return name.length <= MAX_METADATA_NAME ? "" : rejectInput(path, `a name of at most ${MAX_METADATA_NAME} characters`);
}

const isMetadata = (path: string): boolean => /^body\.set\.metadata(\.|$)/.test(path);

/** Returns the value if it has the form of the sample, and rejects it otherwise. */
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

/** The forms of text values. A value must have the form that its sample has. */
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
