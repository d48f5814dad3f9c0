// Option values from the command line, the environment and the configuration file, in this order, before the default. A single-valued
// option with two different values is rejected, and so is a value that its kind or its choices do not allow.
import { rejectChoice, type Setting, toExcerpt } from "../engine/settings.ts";
import { Misuse } from "./failure.ts";

/** A setting, or an option of one command. */
export interface Option extends Setting {
  /** The address of the sandbox: it is looked for where it is not given. */
  finds?: boolean;
  /** The help topic that documents the option once for all commands: `sandbox help connection`. */
  topic?: "connection" | "settings";
  /** Typed as `--option name=value`, since it is one of many options of `start`. */
  isTypedByName?: boolean;
  /** The variable that can give it too. Only the options of `start` have one, and a few that name a sandbox. */
  environment?: string | undefined;
}

const createOptionFactory =
  (kind: Option["kind"], byDefault: Option["default"]) =>
  (name: string, placeholder: string, meaning: string, more: Partial<Option> = {}): Option => ({
    name,
    kind,
    placeholder,
    default: byDefault,
    meaning,
    ...more,
  });

/** Options by kind. Unless `more` says otherwise a flag is off, a list is empty, and a text or a number is not there. */
export const option = {
  flag: (name: string, meaning: string, more: Partial<Option> = {}): Option => ({
    name,
    kind: "flag",
    default: false,
    meaning,
    ...more,
  }),
  text: createOptionFactory("text", undefined),
  number: createOptionFactory("number", undefined),
  list: createOptionFactory("list", []),
};

/**
 * What commander collected: every occurrence of an option with a value, `true` for a flag. Absent where it was not
 * typed.
 */
export type Typed = Readonly<Record<string, readonly string[] | true | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;
export type Source = "flag" | "environment" | "file" | "default";
/** What a configuration file says about an option: its texts, and how a sentence names the source. */
export type Configured = (name: string) => { texts: readonly string[]; label: string } | undefined;

type Value = string | number | boolean | readonly string[] | undefined;

/** A longer list stands in the error about a wrong value. */
const MAX_LISTED_VALUES = 11;

/** The help of an option: its meaning, then the values and the default that the meaning does not name. */
export function describeOption({ kind, meaning, choices = [], default: byDefault }: Option): string {
  const isNamed = choices.every((choice) => meaning.includes(choice));
  const values = isNamed || choices.length > MAX_LISTED_VALUES ? [] : choices;
  const remarks = [
    ...(kind !== "flag" && values.length > 0 ? [`one of ${values.join(", ")}`] : []),
    ...(byDefault === undefined || kind === "flag" || kind === "list" ? [] : [`default: ${byDefault}`]),
  ];
  return remarks.length === 0 ? meaning : `${meaning.replace(/\.$/, "")} (${remarks.join("; ")}).`;
}

/** The values of a command's options. Reading one that it does not have is a programming error. */
export interface Given {
  value(name: string): Value;
  text(name: string): string | undefined;
  number(name: string): number;
  flag(name: string): boolean;
  list(name: string): readonly string[];
  source(name: string): Source;
  /** How a sentence names the option: as it was given. */
  label(name: string): string;
}

/** Throws a Misuse that names the option as it was given: as an option, a variable, or a line of the file. */
export function readOptions(
  options: readonly Option[],
  typed: Typed,
  environment: Environment,
  configured: Configured = () => undefined,
): Given {
  const read = new Map(
    options.map((option) => [option.name, readOne(option, typed[option.name], environment, configured)]),
  );
  const getOption = (name: string) => {
    const found = read.get(name);
    if (!found) throw new Error(`there is no option --${name} here`);
    return found;
  };
  return createGiven({
    value: (name) => getOption(name).value,
    source: (name) => getOption(name).source,
    label: (name) => getOption(name).label,
  });
}

/** The values by their kinds. */
export function createGiven(by: Pick<Given, "value" | "source" | "label">): Given {
  return {
    ...by,
    text: (name) => by.value(name) as string | undefined,
    number: (name) => by.value(name) as number,
    flag: (name) => by.value(name) === true,
    list: (name) => by.value(name) as readonly string[],
  };
}

/** The same options with other texts. */
export function replaceTexts(given: Given, texts: Readonly<Record<string, string | undefined>>): Given {
  return { ...given, text: (name) => (name in texts ? texts[name] : given.text(name)) };
}

/** The text of an option that has a default. */
export function getText(given: Given, name: string): string {
  return given.text(name) ?? "";
}

interface Read {
  value: Value;
  source: Source;
  label: string;
}

/** How a person types the name of an option. */
const nameOption = ({ name, isTypedByName }: Option): string => (isTypedByName ? `--option ${name}` : `--${name}`);

/** From the command line, or the environment, or the configuration file, or the default: the first that has it wins. */
function readOne(option: Option, typed: Typed[string], environment: Environment, configured: Configured): Read {
  const label = nameOption(option);
  if (typed === true) return { value: true, source: "flag", label };
  if (typed !== undefined) {
    const texts =
      option.kind === "list" ? typed.flatMap((text) => splitList(option, text)) : [pickSingleValue(label, typed)];
    return { value: parseValue(option, texts, label), source: "flag", label };
  }
  // The environment comes before the file: it is nearer to the one command.
  const variable = option.environment;
  const set = variable && environment[variable];
  // An empty variable is how a shell unsets one for a single command.
  if (variable && set) {
    const texts = option.kind === "list" ? splitList(option, set, true) : [set];
    return { value: parseValue(option, texts, variable), source: "environment", label: variable };
  }
  const inFile = configured(option.name);
  if (inFile === undefined) return { value: option.default, source: "default", label };
  return { value: parseValue(option, inFile.texts, inFile.label), source: "file", label: inFile.label };
}

// Scripts append options; the same value twice is no contradiction.
function pickSingleValue(label: string, texts: readonly string[]): string {
  const [first = "", ...rest] = texts;
  const other = rest.find((text) => text !== first);
  if (other === undefined) return first;
  throw new Misuse(`${label} is given as ${first} and as ${other}. Give it once.`);
}

// In a variable a list is parted by commas or line breaks, on the command line only where its placeholder says so.
function splitList({ placeholder }: Option, text: string, inEnvironment = false): string[] {
  const splits = inEnvironment ? /[,\n]/ : placeholder === "a,b" ? "," : undefined;
  const pieces = splits === undefined ? [text] : text.split(splits).map((piece) => piece.trim());
  return inEnvironment ? pieces.filter((piece) => piece !== "") : pieces;
}

/** Throws Misuse, which names the value by where it was given. */
function parseValue(option: Option, texts: readonly string[], label: string): Value {
  const { kind, choices, placeholder } = option;
  // Not a list, so there is one.
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
  // No sign, no exponent and no hexadecimal: none of them is meant by anybody who types a number here.
  if (/^\d{1,15}(\.\d{1,3})?$/.test(text)) return Number(text);
  const reason = /^-\d/.test(text) ? "below zero. Give a number from 0 up." : "not a number.";
  throw new Misuse(`${label} is ${toExcerpt(text)}, which is ${reason}`);
}
