// Defines what settings accept: other notations, valid values, and the values of a configuration file. A reason follows the name of the setting, as the
// command line or the library spells it.

import { isLoopback } from "../platform/loopback.ts";
import { suggest } from "../platform/nearest.ts";
import { explainTarget } from "./domain/company/subscription.ts";
import { isDuration, parseDuration, readInstant } from "./domain/kernel/instant.ts";
import { EVENT_KINDS } from "./domain/kernel/kinds.ts";

/** Returns why a value is rejected, or undefined if it is accepted. */
export type WhyNot = (value: unknown) => string | undefined;

/** Shortens a long value for messages. */
export function toExcerpt(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export const showValue = (value: unknown): string =>
  toExcerpt(isPlain(value) ? String(value) : (JSON.stringify(value) ?? String(value))) || "empty";

/** Whether the value is shown as plain text: JSON has no bigint, and puts a text in quotes. */
const isPlain = (value: unknown): boolean => typeof value === "string" || typeof value === "bigint";

const unless =
  (isAccepted: (value: unknown) => boolean, advice: string): WhyNot =>
  (value) => {
    if (isAccepted(value)) return undefined;
    // Values of the environment are text, so the message says when only the type is wrong.
    const type = typeof value === "string" && isAccepted(Number(value)) ? "the text " : "";
    return `is ${type}${showValue(value)}, which is not ${advice}`;
  };

/** Whether the text is an address of this machine's loopback: scheme, host and port, and nothing else. */
export const isLoopbackUrl = (text: string): boolean =>
  /^https?:\/\/[\w.:[\]-]+$/.test(text) && URL.canParse(text) && isLoopback(new URL(text).hostname);

/** Whether the value is a text without null characters, which end a path. */
const isText = (value: unknown): value is string => typeof value === "string" && value !== "" && !value.includes("\0");

/** The values that a file may set: any valid one, none, a path that stays in its folder, or one that passes a check. */
export type InFile = "any" | "nothing" | "path below" | WhyNot;

/** `inFile` is required, because a configuration file is part of a folder, whose origin may be unknown. */
export interface SettingType {
  inFile: InFile;
  whyNot: WhyNot;
  /** Converts a value from another notation. Any other value stays unchanged, and `whyNot` rejects it. */
  read?(value: unknown): unknown;
}

/** Creates a type whose values may be in files too. */
const accept = (isAccepted: (value: unknown) => boolean, advice: string, read?: SettingType["read"]): SettingType => ({
  inFile: "any",
  whyNot: unless(isAccepted, advice),
  ...(read && { read }),
});

export const rejectNoFlag = unless((value) => typeof value === "boolean", "true or false.");

export function rejectChoice(value: unknown, choices: readonly string[]): string | undefined {
  if (choices.includes(String(value))) return undefined;
  const known = choices.join(", ").replace(/, ([^,]*)$/, " or $1");
  return `is ${showValue(value)}.${suggest(String(value), choices)} It takes ${known}.`;
}

export const createChoice = (choices: readonly string[]): SettingType => {
  return { inFile: "any", whyNot: (value) => rejectChoice(value, choices) };
};

export function explainKind(kind: string): string | undefined {
  if ((EVENT_KINDS as readonly string[]).includes(kind)) return undefined;
  return `there is no kind ${toExcerpt(kind)}.${suggest(kind, EVENT_KINDS)}`;
}

const rejectElsewhere = (value: unknown): string => `is ${showValue(value)}, which is not of this machine's loopback.`;

/** A file may name only this machine; other machines need an option. */
export const host: SettingType = {
  inFile: (value) => (value === "" || isLoopback(value) ? undefined : rejectElsewhere(value)),
  whyNot: unless(isText, "an address. Give it as text."),
};

/** Checks one or several addresses. A webhook's address may have a path. Passwords are not repeated. */
const rejectOtherHosts: WhyNot = (value) => {
  const named = [value].flat().map((each) => (URL.canParse(String(each)) ? new URL(String(each)).hostname : each));
  // Invalid addresses are left to the check of the setting itself.
  const wrong = named.find((each, at) => each === "*" || (each !== [value].flat()[at] && !isLoopback(each)));
  return wrong === undefined ? undefined : rejectElsewhere(wrong);
};

const createPath = (advice: string): SettingType => ({ inFile: "path below", whyNot: unless(isText, advice) });
export const fixture = createPath("the name of a fixture or its folder. Give it as text.");
export const file = createPath("the path of a file. Give it as text.");

const readUrl = (value: unknown): unknown => (value instanceof URL ? value.href : value);

/** An address may contain a password, which explainTarget does not repeat. */
export const webhookUrl: SettingType = {
  inFile: rejectOtherHosts,
  whyNot(value) {
    const reason = isText(value) ? explainTarget(value) : `${showValue(value)} is not a URL.`;
    return reason && `can't be used: ${reason}`;
  },
  read: readUrl,
};

export const webhookEvents: SettingType = {
  inFile: "any",
  whyNot(value) {
    if (!Array.isArray(value)) return `is ${showValue(value)}, which is not a list of kinds.`;
    if (value.length === 0) return "names no kind. Name at least one, or leave it out for all.";
    const [reason] = value.flatMap((each) => explainKind(String(each)) ?? []);
    return reason && `can't be used: ${reason}`;
  },
  read: (value) => (typeof value === "string" ? value.split(",").map((each) => each.trim()) : value),
};

const acceptWhole = (from: number, advice: string, read?: SettingType["read"], to = 999_999_999): SettingType =>
  accept((value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to, advice, read);

export const port = acceptWhole(0, "a port. Give one from 1 to 65535, or 0 for a free one.", undefined, 65_535);

/** Other beginnings of a clock than an instant: real time, or held at the instant that a fixture was written for. */
const BEGINNINGS = ["now", "anchor"];

/** An invalid date becomes its text, so that the rejection can show it. */
const readDate = (value: unknown): unknown =>
  value instanceof Date ? (Number.isNaN(value.getTime()) ? String(value) : value.toISOString()) : value;

export const clock = accept(
  (value) => isText(value) && (BEGINNINGS.includes(value) || readInstant(value) !== undefined),
  "an instant. Write it as 2030-06-01T09:00:00Z, or now or anchor.",
  readDate,
);

export const receiverTimeout = accept(
  (value) => value === "none" || (isText(value) && isDuration(value) && parseDuration(value) > 0),
  "a duration. Write it as PT15S or PT10M, or none.",
);

export const seed = accept(
  (value) => (isText(value) || Number.isSafeInteger(value)) && /^-?\d{1,30}$/.test(String(value)),
  "a whole number, such as 7.",
);

export const audience = accept((value) => Array.isArray(value) && value.every(isText), "a list of texts.");

/** Converts `["id=value"]` to an object. */
function readPairs(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const pairs = value.map((each) => /^([^=]+)=(.+)$/.exec(String(each)));
  return pairs.every((pair) => pair !== null) ? Object.fromEntries(pairs.map(([, id, given]) => [id, given])) : value;
}

export const assume = accept(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isText),
  'an object such as { "signature-text": "v1" }, or a list such as ["signature-text=v1"].',
  readPairs,
);

function readRateLimit(value: unknown): unknown {
  const [, number] = /^([1-9]\d{0,8})\/min$/.exec(String(value)) ?? [];
  return number === undefined ? value : Number(number);
}

export const rateLimit = acceptWhole(1, 'a number of requests a minute, such as 60 or "60/min".', readRateLimit);
export const most = acceptWhole(0, "a whole number, such as 2000, or 0 for none.");
export const atLeastOne = acceptWhole(1, "a whole number of at least 1, such as 2000.");

/** Accepts origins as browsers send them: scheme, host and port, and nothing else. */
export const cors: SettingType = {
  inFile: rejectOtherHosts,
  whyNot(value) {
    if (!Array.isArray(value)) return `is ${showValue(value)}, which is not a list of origins.`;
    const isOrigin = (each: unknown) => isText(each) && URL.canParse(each) && new URL(each).origin === each;
    const wrong = value.find((each) => each !== "*" && !isOrigin(each));
    if (wrong === undefined) return undefined;
    return `is ${showValue(wrong)}, which is not an origin. Write it as http://localhost:3000, or * for all.`;
  },
};

/** The address may contain a password, which is not repeated. */
export const database: SettingType = {
  inFile: "nothing",
  whyNot: (value) =>
    isText(value) && /^postgres(ql)?:\/\//.test(value)
      ? undefined
      : "is not the address of a PostgreSQL. Write it as postgres://user:password@host:5432/name.",
};

export const httpUrl: SettingType = {
  inFile: rejectOtherHosts,
  whyNot: (value) =>
    isText(value) && /^https?:\/\/[^/?#]+\/?$/.test(value) && URL.canParse(value)
      ? undefined
      : `is ${showValue(value)}, which is not an address such as http://sandbox.example:4010.`,
  read: readUrl,
};

export const controlToken: SettingType = {
  inFile: "nothing",
  whyNot: (value) =>
    isText(value) && /^[\x21-\x7e]+$/.test(value)
      ? undefined
      : "contains a space, or a character that a header can't carry. Use letters, digits and signs.",
};
