// The texts that people sign; the right one first.

import { type SigningVariant, wrong } from "./mistake.ts";
import { rewritten } from "./rewritten.ts";

/** As they are in the headers and the body. */
export interface SignedParts {
  id: string;
  timestamp: string;
  body: string;
}

const JOIN = "Sign `{webhook-id}.{webhook-timestamp}.{body}`: the two headers and the body, joined with full stops.";
const RAW =
  "Take the bytes of the body as they came, before anything parses it, and keep them beside the parsed value.";
const HEADER_TIME = "Take the header `webhook-timestamp` as it came: seconds since 1970, as text.";

export function textsOf({ id, timestamp, body }: SignedParts): SigningVariant<string>[] {
  // The body has an id and a timestamp of its own, which are easily taken for those of the headers.
  const envelope = memberOf(body, "id");
  const written = memberOf(body, "timestamp");
  const joined = (mistake: string, value: string, what: string) => wrong(mistake, value, what, JOIN);
  const timed = (value: string, what: string) => wrong("timestamp-form", `${id}.${value}.${body}`, what, HEADER_TIME);
  return [
    { value: `${id}.${timestamp}.${body}` },
    joined("id-and-timestamp-swapped", `${timestamp}.${id}.${body}`, "Your code has the timestamp before the id."),
    joined("id-missing", `${timestamp}.${body}`, "Your code signs the timestamp and the body, without the id."),
    joined("timestamp-missing", `${id}.${body}`, "Your code signs the id and the body, without the timestamp."),
    joined("body-alone", body, "Your code signs the body alone."),
    joined("body-missing", `${id}.${timestamp}.`, "Your code signs an empty body: something read it before."),
    joined("body-first", `${body}.${timestamp}.${id}`, "Your code has the body first."),
    ...["", ":", "\n", "|", ",", " "].map((mark) =>
      joined("separator", [id, timestamp, body].join(mark), `Your code joins the parts with ${JSON.stringify(mark)}.`),
    ),
    ...rewritten(body).map(({ by, text }) =>
      wrong(
        "body-written-again",
        `${id}.${timestamp}.${text}`,
        `Your code signs the body after it was parsed and written again, as by ${by}.`,
        RAW,
      ),
    ),
    ...(envelope === undefined || envelope === id
      ? []
      : [
          joined(
            "id-of-the-body",
            `${envelope}.${timestamp}.${body}`,
            "Your code takes the `id` in the body for the header `webhook-id`.",
          ),
        ]),
    ...(written === undefined ? [] : [timed(written, "Your code takes the `timestamp` in the body for the header.")]),
    timed(`${timestamp}000`, "Your code has the timestamp in milliseconds."),
    timed(new Date(Number(timestamp) * 1000).toISOString(), "Your code writes the timestamp as a date."),
    timed(`${timestamp}.0`, "Your code has made the timestamp a number with a fraction."),
  ];
}

/** As far as a clock may be off, or a timestamp made anew for each request. */
const SECONDS_OFF = 900;

/** The right text with the timestamp of another second. */
export function* textsOfOtherTimes({ id, timestamp, body }: SignedParts): Generator<SigningVariant<string>> {
  for (let off = -SECONDS_OFF; off <= SECONDS_OFF; off++) {
    if (off === 0) continue;
    const what = `Your code has a timestamp that is ${Math.abs(off)} s ${off > 0 ? "later" : "earlier"} than the header: ${Number(timestamp) + off}.`;
    yield wrong("other-timestamp", `${id}.${Number(timestamp) + off}.${body}`, what, HEADER_TIME);
  }
}

function memberOf(body: string, name: string): string | undefined {
  try {
    const value = (JSON.parse(body) as Record<string, unknown>)[name];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
