// The fault that the options of `sandbox fault arm` ask for.
import type { Schemas } from "../client/control.ts";
import { Misuse } from "./fault.ts";
import { type FaultOption, faultOptions } from "./fault-options.ts";
import type { Given } from "./options.ts";

type FaultInput = Schemas["FaultInput"];
type Members = { [name: string]: unknown };

export function readFault(operation: string | undefined, given: Given): FaultInput {
  const wrong = WRONG.find(({ is }) => is(operation, given));
  if (wrong) throw new Misuse(wrong.sentence);
  const fault: Members = operation === undefined ? {} : { operation: operation === "any" ? "*" : operation };
  for (const row of faultOptions) {
    if (!isGiven(row.option.name, given)) continue;
    const [path, value] = row.put(rangedValue(row, given));
    put(fault, path.split("."), value);
  }
  if (Object.keys(fault).every((name) => NARROWING.includes(name)))
    throw new Misuse(`This fault would do nothing. Choose the failure with ${THINGS.join(", ")} or --delivery.`);
  return { times: 1, ...fault } as unknown as FaultInput;
}

const THINGS = [
  ...["--status", "--code", "--delay", "--connection", "--token", "--expires-in", "--unknown-value"],
  ...["--unknown-members", "--leave-out", "--page", "--stale", "--move"],
];
const NARROWING = ["name", "operation", "methods", "client_id", "skip", "share", "seed", "times", "when"];

const isGiven = (name: string, given: Given): boolean =>
  given.source(name) !== "default" && given.value(name) !== false;
const anyOf = (given: Given, ...names: string[]) => names.some((name) => isGiven(name, given));

interface Wrong {
  is(operation: string | undefined, given: Given): boolean;
  sentence: string;
}

const WRONG: readonly Wrong[] = [
  {
    is: (operation, given) => operation !== undefined && anyOf(given, "delivery"),
    sentence: "A fault of deliveries has no operation. Leave the operation out, and name a kind with --kind.",
  },
  {
    is: (operation, given) => operation === undefined && !anyOf(given, "delivery"),
    sentence: "Name an operation, such as createBooking, or any; or a fault of deliveries, such as --delivery drop.",
  },
  {
    is: (_, given) => anyOf(given, "kind", "late") && !anyOf(given, "delivery"),
    sentence: "--kind and --late are of deliveries. Give --delivery too.",
  },
  {
    is: (_, given) => anyOf(given, "retry-after") && !anyOf(given, "status", "code"),
    sentence: "--retry-after is a header of an answer. Give --status or --code too.",
  },
];

function rangedValue({ option: { name }, range }: FaultOption, given: Given): unknown {
  const value = given.value(name);
  if (!range) return value;
  const [least, most] = range;
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return value;
  throw new Misuse(`--${name} is ${value}. Give a whole number from ${least} to ${most}.`);
}

function put(into: Members, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) into[name] = value;
  else {
    into[name] ??= {};
    put(into[name] as Members, rest, value);
  }
}
