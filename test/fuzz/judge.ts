// The verdict on one answer, and the reasons for which the description lets a sandbox refuse what the document's schemas allow.
import type { Finding, Question } from "./fuzzer.ts";
import { isObject } from "./values.ts";

/** Code, or words of the message → why no schema can say it. */
const REASONS: readonly [sign: RegExp, reason: string][] = [
  [/^404 /, "nothing has this id"],
  [/^409 /, "a rule of the state: sold out, closed, taken, final"],
  [/^406 /, "no text in the languages that are asked for"],
  [/cursor/i, "a cursor is what a page handed out, unchanged"],
  [/not found|NOT_FOUND|There is no|there is no|is not offered|no such/i, "nothing has this id"],
  [/EXPIRY_NOT_LATER/, "an extension extends"],
  [
    /date|instant|day|time|later|before|after|window/i,
    "a date that the calendar does not have, or one on the wrong side of another",
  ],
  [
    /invalid_client|invalid_grant|invalid_scope|invalid_request|unsupported_grant_type|invalid_target/,
    "a token for the wrong client",
  ],
  [/url|target|address/i, "webhooks go where the sandbox may send them"],
  [/INVALID_ITEM|INVALID_INPUT|item|ticket|variant/i, "an item that nobody sells"],
  [/currency|decimal|amount|country|e-mail|email|phone|locale|language/i, "a code that its standard does not have"],
  [/assumption|operation|fixture|world|snapshot|kind|scope/i, "a name that the sandbox does not have"],
  [/clock|duration|year/i, "time goes forward, up to a limit"],
  [/give one of these fields/, "an example message has the fields of its kind"],
  [/is about a booking/, "a posting that is about nothing"],
  [/at least 1|needs a card/, "money that is none, or that nobody can take from"],
  [/metadata|key|characters|nested/i, "metadata has limits by key"],
];

/** What is accepted although the document does not allow it. */
const ACCEPTED: readonly [is: (requested: Question) => boolean, reason: string][] = [
  [
    ({ body, operation }) => body === null && operation.body?.required === false,
    "`null` for a body that may be left out",
  ],
];

export const reasons = new Map<string, number>();

/** Undefined: nothing is wrong. */
export function judge(
  requested: Question,
  status: number,
  body: unknown,
): Pick<Finding, "what" | "detail"> | undefined {
  const { operation, sound } = requested;
  const words = isObject(body) ? `${body.code ?? body.error} ${body.message ?? body.error_description ?? ""}` : "";
  if (status >= 500) return { what: "5xx", detail: `${status} ${words}` };
  if (!operation.statuses.includes(String(status)))
    return { what: "undocumented status", detail: `${status} ${words}` };
  // A HAR file is of another media type, and test/cli/har.test.ts reads it.
  const isHar = operation.id === "listLog" && /[?&]format=har(&|$)/.test(requested.target);
  const misfit = isHar && status === 200 ? undefined : operation.fits(status, body);
  if (misfit) {
    const { instancePath, message } = misfit.errors?.[0] ?? {};
    return { what: "unfit body", detail: `${status}: ${instancePath} ${message}` };
  }
  if (sound === status < 400) return undefined;
  const reason = sound
    ? REASONS.find(([sign]) => sign.test(`${status} ${words}`))?.[1]
    : ACCEPTED.find(([is]) => is(requested))?.[1];
  const what = sound ? "refused though sound" : "accepted though unsound";
  if (reason === undefined) return { what, detail: `${status} ${words}` };
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return undefined;
}
