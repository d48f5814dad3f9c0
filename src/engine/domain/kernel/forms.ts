// Describes patterns and formats of the specification for people, each with an example. A test compares the table with the
// specification, so that no message shows a regular expression.

const DATE_TIME = "a date-time with its offset, such as 2030-06-01T09:00:00Z or 2030-06-01T11:00:00+02:00 (RFC 3339)";
const LOCAL = "a local date-time without offset, such as 2030-06-01T09:00:00";
const ID = "an id of letters, digits and any of . _ ~ -, beginning with a letter or digit, such as evt-evening";
const NAME =
  "a name of at most 64 letters, digits and any of . _ -, beginning with a letter or digit, such as before-rush";

const LOCAL_DATE_TIME = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]";

/** The window of events and availabilities, for each value of the assumption event-window-format. */
const LOCAL_OR_UTC = String.raw`^${LOCAL_DATE_TIME}(\.[0-9]{1,9})?Z?$`;
const LOCAL_OR_OFFSET = String.raw`^${LOCAL_DATE_TIME}(\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?$`;

/** The words for a pattern, which must be spelled exactly as in the specification. */
export const PATTERNS: Readonly<Record<string, string>> = Object.fromEntries([
  [
    "^[+-]?(created_at|updated_at)$",
    "created_at or updated_at, alone or after + (written %2B) or -, such as -created_at",
  ],
  ["^[+-](created_at|updated_at)$", "created_at or updated_at after + (written %2B) or -, such as -created_at"],
  [String.raw`^https?://[^/?#@\s]+$`, "an address without a path, such as http://127.0.0.1:4010"],
  [String.raw`^[\w-]{43}$`, "32 bytes as base64url, such as dGhlIGJhc2U2NHVybCBmb3JtIG9mIDMyIGJ5dGVzISE"],
  ["^[a-z0-9]+(-[a-z0-9]+)*$", "lower-case letters and digits, in words with a hyphen between, such as point-of-sale"],
  ["^[a-z]+(_[a-z]+)*$", "lower-case letters, in words with an underscore between, such as gift_cards"],
  [String.raw`\S$`, "a text that does not end with a space, such as Sells bookings."],
  ["^[0-9a-f]{12}$", "12 hexadecimal digits, such as 3f9c1a7be2d0"],
  [
    "^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$",
    "at most 32 lower-case letters, digits and hyphens, with no hyphen at either end, such as blue-team",
  ],
  [
    "^[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,99})$",
    "at most 100 letters, digits and any of . _ @ + -, beginning with a letter or digit, such as ann@example.com",
  ],
  ["^[0-9a-f]{16}$", "16 hexadecimal digits, such as 3f9c1a7be2d04586"],
  [LOCAL_OR_UTC, "a local date-time such as 2030-06-01T09:00:00, or one in UTC such as 2030-06-01T09:00:00Z"],
  [LOCAL_OR_OFFSET, "a local date-time such as 2030-06-01T09:00:00, or one with Z or an offset such as +02:00"],
  [String.raw`^${LOCAL_DATE_TIME}(\.[0-9]{1,9})?$`, LOCAL],
  [`^${LOCAL_DATE_TIME}$`, LOCAL],
  ["^[0-9-]{10}T[0-9:]{8}Z$", "an instant in UTC to the second, such as 2030-06-01T09:00:00Z"],
  [String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$`, LOCAL],
  [String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$`, LOCAL],
  [
    String.raw`^(P(?=\d|T\d)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2}))$`,
    "a duration such as PT2H, or an instant such as 2030-06-01T09:00:00Z",
  ],
  [String.raw`^([01]\d|2[0-3]):[0-5]\d$`, "a time of day from 00:00 to 23:59, such as 09:30"],
  [String.raw`^(([01]\d|2[0-3]):[0-5]\d|24:00)$`, "a time of day from 00:00 to 24:00, such as 17:30"],
  ["^[a-z]{2}(-[A-Z]{2})?$", "a language such as da, or one with a country such as en-GB"],
  ["^[A-Z]{2}$", "a country code of two capital letters, such as DK"],
  ["^[A-Z]{3}$", "a currency code of three capital letters, such as DKK"],
  [String.raw`^[0-9]+(\.[0-9]+)?$`, "a decimal number, such as 0.25"],
  [String.raw`^(0(\.\d{1,6})?|1(\.0{1,6})?)$`, "a rate from 0 to 1 with at most six decimals, such as 0.25"],
  [String.raw`^\d{1,12}$`, "a whole number of at most 12 digits, as text, such as 1001"],
  [String.raw`^-?\d{1,30}$`, "a whole number of at most 30 digits, such as 7"],
  [String.raw`^\d{1,30}$`, "a whole number of at most 30 digits that is not negative, such as 7"],
  ["^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", NAME],
  ["^[A-Za-z0-9][A-Za-z0-9._~-]*$", ID],
  ["^[A-Z][A-Z0-9_]*$", "a word of capital letters, digits and _, such as PROMO_CODE"],
  [String.raw`^[1-5](\d\d|xx)$`, "a status such as 404, or a class of them such as 4xx"],
  ["^[hH][tT][tT][pP][sS]?://", "an http or https address, such as http://127.0.0.1:3000/webhooks"],
  ["^whsec_[A-Za-z0-9+/]{43}=$", "whsec_ and the base64 form of 32 bytes"],
]);

/** The words for a `format` of a schema. */
export const FORMATS: Readonly<Record<string, string>> = {
  "date-time": DATE_TIME,
  date: "a date, such as 2030-06-01",
  duration: "an ISO 8601 duration in whole numbers, such as P3D or PT2H",
  email: "an e-mail address, such as anna@example.com",
  uri: "an absolute address, such as https://example.com/",
  uuid: "a UUID, such as 3f0c1a52-7d1e-4b7a-9c55-0a6b1f9d2e44",
  int32: "a whole number from -2147483648 to 2147483647",
  int64: "a whole number",
};

/**
 * Describes the required size of a text, a list or an object by the keyword of its schema. Returns undefined for
 * other keywords.
 */
export function describeSize(keyword: string, limit: unknown): string | undefined {
  const [, bound, what] = /^(min|max)(Length|Items|Properties)$/.exec(keyword) ?? [];
  if (!what) return undefined;
  // The plain wording replaces "at least 1 character".
  if (bound === "min" && limit === 1) return "must not be empty";
  const unit = { Length: "character", Items: "item", Properties: "field" }[what];
  return `must have at ${bound === "min" ? "least" : "most"} ${limit} ${unit}${limit === 1 ? "" : "s"}`;
}

/** An offset or a sort order with a space before it, where a + was decoded. */
const DECODED_PLUS = /T\d\d:\d\d(?::\d\d(?:\.\d+)?)? \d\d:?\d\d$|^ (?:created|updated)_at$/;

/** Explains that a + in a query is decoded as a space, if a text looks as if that had happened. */
export function explainDecodedPlus(text: unknown): string {
  return typeof text === "string" && DECODED_PLUS.test(text) ? " A + in a URL is decoded as a space: write %2B." : "";
}
