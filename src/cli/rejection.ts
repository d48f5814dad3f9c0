// An error response of the control API as a failure of a command: what the API calls by its paths and members, a command calls by its
// commands and arguments.
import { type Requests, reworded } from "../client/wording.ts";
import { excerptOf } from "../engine/setting-values.ts";
import { Failure } from "./failure.ts";

/** From the longest path on, so that none hides another. */
const COMMANDS: Requests = [
  [/GET \/_sandbox\/teams\/([\w-]+)\/members/g, "`sandbox team members $1`"],
  [/GET \/_sandbox\/teams\/([\w-]+)\/tokens/g, "`sandbox token list --team $1`"],
  [/GET \/_sandbox\/teams/g, "`sandbox team list`"],
  [/DELETE \/_sandbox\/worlds\/\{worldId\}/g, "`sandbox world rm <id>`"],
  [/send `Authorization: Bearer <token>`/g, "sign in with `sandbox login <address>`, or set SANDBOX_CONTROL_TOKEN"],
  [/body\.expires is /g, "--expires is "],
  [/body\.(?:items|add)\.\d+: /g, ""],
  [/DELETE \/_sandbox\/worlds\/([\w.-]+\w)/g, "`sandbox world rm $1`"],
  [/POST \/_sandbox\/state\/reset/g, "`sandbox state reset`"],
  [/POST \/_sandbox\/state\/populate/g, "`sandbox populate`"],
  [/GET \/_sandbox\/state/g, "`sandbox state export`"],
  [/PUT \/_sandbox\/state/g, "`sandbox state import`"],
  [/GET \/_sandbox\/worlds/g, "`sandbox world list`"],
  [/GET \/_sandbox\/messages/g, "`sandbox messages`"],
  [/GET \/_sandbox\/(?:requests|log)\b/g, "`sandbox logs`"],
  [/GET \/_sandbox\/why\/\{id\}/g, "`sandbox why <id>`"],
  [/GET \/_sandbox\/acts/g, "`sandbox act --list`"],
  [/GET \/_sandbox\/operations/g, "`sandbox call --list`"],
  [/DELETE \/_sandbox\/faults/g, "`sandbox fault clear`"],
  [/GET \/_sandbox\/faults/g, "`sandbox fault list`"],
  [/body\.webhook_url can't/g, "--webhook-url can't"],
  [/body\.delay: /g, "--delay: "],
  [/another by body\.subscription_id/g, "another by --to <subscription>"],
  [/body\.set\.(?=\w)/g, "--set "],
  [/body\.set: /g, "--set: "],
];

/** A sentence of the control API, with commands in the place of requests. */
export const inWordsOfCommands = (sentence: string): string => reworded(sentence, COMMANDS);

/** `error`: the body of the answer; the code in it becomes that of the failure. */
export function rejectionOf(error: unknown, status: number, url: string): Failure {
  if (typeof error !== "object" || error === null)
    return new Failure(`What answers at ${url} is no sandbox: it answered ${status}. Name another address with --url.`);
  // The token endpoint has the members of RFC 6749, all others the sandbox's own.
  const { code, message, error_description } = error as { code?: string; message?: string; error_description?: string };
  const sentence = message ?? error_description ?? `${url} answered ${status}: ${excerptOf(JSON.stringify(error))}`;
  return new Failure(inWordsOfCommands(sentence), code);
}
