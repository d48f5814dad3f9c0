// Reads option values from the command line, the environment, the configuration file, or the default, in this order. Rejects values that
// the kind or the choices do not allow.
import { rejectChoice, type Setting, toExcerpt } from "../engine/settings.ts";
import { Misuse } from "./failure.ts";

/** A setting, or an option of one command. */
export interface Option extends Setting {
  /** Set for the address of the sandbox. Without a value, the command looks for a running sandbox. */
  finds?: boolean;
  /** The help topic that documents the option once for all commands: `sandbox help connection`. */
  topic?: "connection" | "settings";
  /** Set if the option is typed as `--option name=value`. */
  isTypedByName?: boolean;
  /** The environment variable. Only the options of `start`, and those that name a sandbox, have one. */
  environment?: string | undefined;
}

const createFactory =
  (kind: Option["kind"], byDefault: Option["default"]) =>
  (name: string, placeholder: string, meaning: string, more: Partial<Option> = {}): Option => ({
    name,
    kind,
    placeholder,
    default: byDefault,
    meaning,
    ...more,
  });

/** Creates options. The default of a flag is false, of a list empty, and of a text or a number undefined. */
export const option = {
  flag: (name: string, meaning: string, more: Partial<Option> = {}): Option => ({
    name,
    kind: "flag",
    default: false,
    meaning,
    ...more,
  }),
  text: createFactory("text", undefined),
  number: createFactory("number", undefined),
  list: createFactory("list", []),
};

/** The typed options: every occurrence of an option with a value, and `true` for a flag. */
export type Typed = Readonly<Record<string, readonly string[] | true | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;
export type Source = "flag" | "environment" | "file" | "default";
/** Returns the texts that a configuration file sets for an option, and the label of their position. */
export type Configured = (name: string) => { texts: readonly string[]; label: string } | undefined;

type Value = string | number | boolean | readonly string[] | undefined;

/** The help omits a longer list. The error about a wrong value has it. */
const MAX_LISTED_VALUES = 11;

/** Returns the help of an option: its meaning, and the values and the default that the meaning does not mention. */
export function describeOption({ kind, meaning, choices = [], default: byDefault }: Option): string {
  const isNamed = choices.every((choice) => meaning.includes(choice));
  const values = isNamed || choices.length > MAX_LISTED_VALUES ? [] : choices;
  const remarks = [
    ...(kind !== "flag" && values.length > 0 ? [`one of ${values.join(", ")}`] : []),
    ...(byDefault === undefined || kind === "flag" || kind === "list" ? [] : [`default: ${byDefault}`]),
  ];
  return remarks.length === 0 ? meaning : `${meaning.replace(/\.$/, "")} (${remarks.join("; ")}).`;
}

/** The values of a command's options. Reading an option that the command does not have is a bug. */
export interface Given {
  value(name: string): Value;
  text(name: string): string | undefined;
  number(name: string): number;
  flag(name: string): boolean;
  list(name: string): readonly string[];
  source(name: string): Source;
  /** Names the option in messages: as an option, a variable, or a position in the file. */
  label(name: string): string;
}

/** Throws a Misuse that names the option, the variable, or the position in the file. */
export function readOptions(
  options: readonly Option[],
  typed: Typed,
  environment: Environment,
  configured: Configured = () => undefined,
): Given {
  const read = new Map(
    options.map((option) => [option.name, readOne(option, typed[option.name], environment, configured)]),
  );
  const find = (name: string) => {
    const found = read.get(name);
    if (!found) throw new Error(`there is no option --${name} here`);
    return found;
  };
  return createGiven({
    value: (name) => find(name).value,
    source: (name) => find(name).source,
    label: (name) => find(name).label,
  });
}

export function createGiven(by: Pick<Given, "value" | "source" | "label">): Given {
  return {
    ...by,
    text: (name) => by.value(name) as string | undefined,
    number: (name) => by.value(name) as number,
    flag: (name) => by.value(name) === true,
    list: (name) => by.value(name) as readonly string[],
  };
}

/** Returns the options with some texts replaced. */
export function replaceTexts(given: Given, texts: Readonly<Record<string, string | undefined>>): Given {
  return { ...given, text: (name) => (name in texts ? texts[name] : given.text(name)) };
}

/** Returns the text of an option that has a default. */
export function getText(given: Given, name: string): string {
  return given.text(name) ?? "";
}

function readOne(option: Option, typed: Typed[string], environment: Environment, configured: Configured) {
  const { kind, name, isTypedByName, environment: variable } = option;
  const parse = (texts: readonly string[], source: Source, label: string) => {
    return { value: parseValue(option, texts, label), source, label };
  };
  const label = isTypedByName ? `--option ${name}` : `--${name}`;
  if (typed === true) return { value: true, source: "flag" as const, label };
  if (typed !== undefined)
    return parse(kind === "list" ? typed.flatMap((text) => splitList(option, text)) : typed.slice(-1), "flag", label);
  const set = variable && environment[variable];
  // A shell unsets a variable for a single command by setting it to an empty text.
  if (variable && set) return parse(kind === "list" ? splitList(option, set, true) : [set], "environment", variable);
  const inFile = configured(name);
  if (inFile) return parse(inFile.texts, "file", inFile.label);
  return { value: option.default, source: "default" as const, label };
}

// A variable separates values by commas or line breaks. The command line separates them only if the placeholder is "a,b".
function splitList({ placeholder }: Option, text: string, inEnvironment = false): string[] {
  const splits = inEnvironment ? /[,\n]/ : placeholder === "a,b" ? "," : undefined;
  const pieces = splits === undefined ? [text] : text.split(splits).map((piece) => piece.trim());
  return inEnvironment ? pieces.filter((piece) => piece !== "") : pieces;
}

function parseValue(option: Option, texts: readonly string[], label: string): Value {
  const { kind, choices, placeholder } = option;
  const [text = ""] = texts;
  const empty = texts.find((each) => each.trim() === "");
  if (empty !== undefined) throw new Misuse(`${label} is empty. Give it a value (${placeholder}), or leave it out.`);
  if (kind === "list") return texts;
  if (kind === "flag") return parseFlag(label, text);
  if (kind === "number") return parseNumber(label, text);
  const reason = choices && rejectChoice(text, choices);
  if (reason !== undefined) throw new Misuse(`${label} ${reason}`);
  return text;
}

function parseFlag(label: string, text: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new Misuse(`${label} is ${toExcerpt(text)}. Write 1 for yes and 0 for no.`);
}

function parseNumber(label: string, text: string): number {
  // Signs, exponents and hexadecimal numbers are rejected, because they are likely mistakes.
  if (/^\d{1,15}(\.\d{1,3})?$/.test(text)) return Number(text);
  const reason = /^-\d/.test(text) ? "below zero. Give a number from 0 up." : "not a number.";
  throw new Misuse(`${label} is ${toExcerpt(text)}, which is ${reason}`);
}

/** Splits a text such as `id=value`. The value may contain an equals sign. Throws a Misuse for any other text. */
export function splitPair(text: string, label: string, form: string, example: string): [name: string, value: string] {
  const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined) return [name, value];
  throw new Misuse(`${label} is ${toExcerpt(text)}, which is not ${form}. Write it as ${example}.`);
}
