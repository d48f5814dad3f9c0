// The two ways in which a command ends badly. The exit code follows from the class; the message is one sentence for a person.

/** The command failed: exit 1. */
export class Failure extends Error {
  override name = "Failure";
}

/** The command was used wrongly: exit 2. */
export class Misuse extends Error {
  override name = "Misuse";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
