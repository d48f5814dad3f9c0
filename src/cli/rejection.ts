// Converts an error response of the control API to a Failure that names options and commands.
import type { Schemas } from "../client/control.ts";
import { formatError, type InputError, nameMember } from "../client/format-error.ts";
import rows from "../contract/generated/commands.json" with { type: "json" };
import { toExcerpt } from "../engine/settings.ts";
import { Failure } from "./failure.ts";

/** Names a wrong value as the user typed it. */
export type NameValue = (error: InputError) => string;

/** Commands for lists that are not generated from an operation. */
const LISTS: Readonly<Record<string, string>> = {
  "GET /_sandbox/acts": "act --list",
  "GET /_sandbox/log": "logs",
  "GET /_sandbox/requests": "logs",
  "GET /_sandbox/messages": "logs --messages",
  "GET /_sandbox/history": "logs --changes",
};

function findListCommand(request: string): string | undefined {
  const row = rows.commands.find(({ calls }) => calls.some(({ method, path }) => `${method} ${path}` === request));
  const command = LISTS[request] ?? row?.command;
  return command && `\`sandbox ${command}\``;
}

/** Names a field by its option. `options` has those whose option has another name than the field. */
export const nameByOptions =
  (options: Readonly<Record<string, string>> = {}): NameValue =>
  (error) => {
    // A position in a list is omitted, because the message contains the value.
    const name = nameMember(error).replace(/\.\d+$/, "");
    return options[name] ?? (/^(sandbox-)?world(Id)?$/.test(name) ? "--world" : name || "input");
  };

const SIGN_IN = "Sign in with `sandbox login <address>`, or set SANDBOX_CONTROL_TOKEN.";

interface RejectionWords {
  value?: NameValue | undefined;
  /** The advice for a missing or wrong token. */
  signIn?: string | undefined;
}

/** Creates a Failure with the code and message in the body of the response, `error`. */
export function toFailure(
  error: unknown,
  status: number,
  url: string,
  { value = nameByOptions(), signIn = SIGN_IN }: RejectionWords = {},
): Failure {
  if (typeof error !== "object" || error === null)
    return new Failure(
      `The program at ${url} is not a sandbox: it responded with ${status}. Name another address with --url.`,
    );
  // Errors of the token endpoint have the fields of RFC 6749.
  const reported = error as Partial<Schemas["Error"]> & { error_description?: string };
  const { code, message = reported.error_description, violations, list } = reported;
  if (message === undefined) return new Failure(`${url} returned ${status}: ${toExcerpt(JSON.stringify(error))}`, code);
  const sentence = formatError({ message, violations, list }, { value, list: findListCommand });
  return new Failure(status === 401 ? `${sentence} ${signIn}`.trim() : sentence, code);
}
