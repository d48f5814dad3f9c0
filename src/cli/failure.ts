// The ways in which a command ends badly. The exit code follows from the class; the message is one sentence for a person, and the
// code is for programs: the one of the sandbox where it rejected something.
import { toExcerpt } from "../engine/settings.ts";
import { explainRead } from "../platform/bounded-file.ts";
import { suggest } from "../platform/nearest.ts";

/** The command failed: exit 1. The message goes to stderr as it is. */
export class Failure extends Error {
  override name = "Failure";
  readonly code: string;
  constructor(message: string, code = "FAILED") {
    super(message);
    this.code = code;
  }
}

/** A program was to be judged, and nothing can be said of it: exit 3. */
export class Unjudged extends Failure {
  override name = "Unjudged";
}

/** The command was used wrongly: exit 2. Nothing was changed, and nothing was sent. `option`: whose value was found wrong after it was read. */
export class Misuse extends Error {
  override name = "Misuse";
  readonly code = "WRONG_USAGE";
  readonly option: string | undefined;
  constructor(message: string, option?: string) {
    super(message);
    this.option = option;
  }
}

/** A Misuse with the nearest known name. `sentence` ends before the name; `advice` lists the known ones unless it says otherwise. */
export function rejectUnknown(sentence: string, name: string, known: Iterable<string>, advice?: string): Misuse {
  const names = [...known];
  const list = advice ?? `There are: ${names.join(", ")}.`;
  return new Misuse(`${sentence} ${toExcerpt(name)}.${suggest(name, names)} ${list}`);
}

export const UNREACHABLE = "SANDBOX_UNREACHABLE";
/** There was a connection, so the request may have been carried out. */
export const CONNECTION_LOST = "CONNECTION_LOST";

/** These codes say no more than the sentence. A code of a rule is worth printing, since it can be looked up. */
const PLAIN = new Set([
  ...["FAILED", "WRONG_USAGE", UNREACHABLE, CONNECTION_LOST, "BAD_REQUEST", "NOT_FOUND", "CONFLICT", "UNAUTHORIZED"],
  ...["METHOD_NOT_ALLOWED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "TOO_MANY_REQUESTS"],
  ...["INTERNAL_SERVER_ERROR", "SERVICE_UNAVAILABLE"],
]);

/** The sentence, after the code of the rule that rejected. */
export function formatFailure({ message, code }: Failure | Misuse): string {
  return PLAIN.has(code) ? message : `${code}: ${message}`;
}

/**
 * Returns what `read` finds in a file that the user named. Throws a Misuse: `file` begins its sentence, `advice` ends it. An error of the
 * class `own` has a sentence of its own.
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

/** Of anything that was thrown. */
export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
