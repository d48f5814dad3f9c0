// The two ways in which a command ends badly. The exit code follows from the class; the message is one sentence for a person.

/** What was asked for failed: exit 1. */
export class Failure extends Error {
  override name = "Failure";
}

/** It was asked for wrongly: exit 2. */
export class Misuse extends Error {
  override name = "Misuse";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
