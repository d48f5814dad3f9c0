// An error response of the control API as a failure of a command: what the API calls by its paths and members, a command calls by its
// commands and arguments.
import { shown } from "../setting-values.ts";
import { Failure } from "./fault.ts";

/** From the longest path on, so that none hides another. */
const COMMANDS: readonly (readonly [request: RegExp, command: string])[] = [
  [/DELETE \/_sandbox\/worlds\/([\w.-]+\w)/g, "`sandbox world rm $1`"],
  [/POST \/_sandbox\/state\/reset/g, "`sandbox state reset`"],
  [/GET \/_sandbox\/state/g, "`sandbox state export`"],
  [/PUT \/_sandbox\/state/g, "`sandbox state import`"],
  [/GET \/_sandbox\/worlds/g, "`sandbox world list`"],
  [/GET \/_sandbox\/messages/g, "`sandbox messages`"],
  [/GET \/_sandbox\/requests/g, "`sandbox logs`"],
  [/GET \/_sandbox\/acts/g, "`sandbox act --list`"],
  [/GET \/_sandbox\/operations/g, "`sandbox call --list`"],
  [/DELETE \/_sandbox\/faults/g, "`sandbox fault clear`"],
];

export function inWordsOfCommands(sentence: string): string {
  const named = COMMANDS.reduce((text, [request, command]) => text.replace(request, command), sentence);
  return named
    .replace(/(^|[\s(])(?:body|path|query)\.(?=\w)/g, "$1")
    .replace(/(^|\. )body must/g, "$1The input must")
    .replace("must be a name of", "must be");
}

export function rejectionOf(error: unknown, status: number, url: string): Failure {
  if (typeof error !== "object" || error === null)
    return new Failure(
      `What answers at ${url} is not a sandbox: it answered ${status}. Name another address with --url.`,
    );
  const { code, message, error_description } = error as { code?: string; message?: string; error_description?: string };
  const sentence = message ?? error_description ?? `${url} answered ${status}: ${shown(JSON.stringify(error))}`;
  return new Failure(inWordsOfCommands(sentence), code);
}
