// The errors of commands. The class decides the exit code, the message is for the user, and the code is for programs. A rejection keeps
// the code of the sandbox.
import { toCode } from "../engine/domain/index.ts";
import { toExcerpt } from "../engine/settings.ts";
import { explainRead } from "../platform/bounded-file.ts";
import { suggest } from "../platform/nearest.ts";

/** The command failed: exit code 1. The message is printed on stderr unchanged. */
export class Failure extends Error {
  override name = "Failure";
  readonly code: string;
  constructor(message: string, code = "FAILED") {
    super(message);
    this.code = code;
  }
}

/** There is no verdict, because the program could not be judged: exit code 3. */
export class Unjudged extends Failure {
  override name = "Unjudged";
}

/** The command was used wrongly: exit code 2. Nothing was changed. `option` names an option whose value was rejected later. */
export class Misuse extends Error {
  override name = "Misuse";
  readonly code = "WRONG_USAGE";
  readonly option: string | undefined;
  constructor(message: string, option?: string) {
    super(message);
    this.option = option;
  }
}

/** Creates a Misuse that suggests the nearest known name. `sentence` ends before the name; `advice` replaces the list of known names. */
export function rejectUnknown(sentence: string, name: string, known: Iterable<string>, advice?: string): Misuse {
  const names = [...known];
  const list = advice ?? `There are: ${names.join(", ")}.`;
  return new Misuse(`${sentence} ${toExcerpt(name)}.${suggest(name, names)} ${list}`);
}

/** Returns the item whose member `key` is `name`. Throws a Misuse that suggests the nearest name. */
export function findByName<T extends object>(
  items: readonly T[],
  [key, name]: readonly [key: keyof T, name: string],
  sentence: string,
  advice?: string,
): T {
  const found = items.find((each) => each[key] === name);
  if (found) return found;
  const names = items.map((each) => String(each[key]));
  throw rejectUnknown(sentence, name, names, advice);
}

export const UNREACHABLE = "SANDBOX_UNREACHABLE";
/** The connection was lost, so the request may have been processed. */
export const CONNECTION_LOST = "CONNECTION_LOST";

/** The codes of these statuses add nothing to the message. The code of a rule is printed, because users can look it up. */
const STATUS_CODES = [400, 401, 404, 405, 409, 413, 415, 429, 500, 503].map(toCode);
const GENERIC_CODES = new Set<string>(["FAILED", "WRONG_USAGE", UNREACHABLE, CONNECTION_LOST, ...STATUS_CODES]);

/** Returns the message, preceded by the code of the rule that rejected the request. */
export function formatFailure({ message, code }: Failure | Misuse): string {
  return GENERIC_CODES.has(code) ? message : `${code}: ${message}`;
}

/**
 * Reads a file that the user named. Throws a Misuse that begins with `file` and ends with `advice`; an error of the class `own` keeps its
 * own message.
 */
export function readInput<T>(
  read: () => T,
  file: string,
  advice: string,
  own?: abstract new (...given: never[]) => Error,
): T {
  try {
    return read();
  } catch (error) {
    if (own !== undefined && error instanceof own) throw new Misuse(error.message);
    throw new Misuse(`${file} ${explainRead(error)} ${advice}`.trimEnd());
  }
}

/** Returns the message of any thrown value. */
export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
