// What each setting may be: one table for the command line, which reads texts, and for the library, which is handed values. A reason
// goes behind the name of the setting, as each of the two writes it.

import { whyNotTarget } from "./domain/company/subscription.ts";
import { readInstant } from "./domain/kernel/instant.ts";
import { EVENT_KINDS } from "./domain/kernel/kinds.ts";
import { didYouMean } from "./domain/kernel/nearest.ts";
import { optional } from "./domain/kernel/optional.ts";
import { defaults, type SandboxOptions, type Setting, SettingFault, type Settings, settings } from "./settings.ts";

/** Why a value can't be taken; undefined when it can. */
type WhyNot = (value: unknown) => string | undefined;

/** A value as a message repeats it: in full, but no novel. */
export function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const told = (value: unknown): string =>
  shown(typeof value === "string" ? value : (JSON.stringify(value) ?? String(value))) || "empty";

const unless =
  (isTaken: (value: unknown) => boolean, advice: string): WhyNot =>
  (value) =>
    isTaken(value) ? undefined : `is ${told(value)}, which is not ${advice}`;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isWhole = (value: unknown, from: number, to: number): boolean =>
  Number.isInteger(value) && Number(value) >= from && Number(value) <= to;

const text = (what: string): WhyNot => unless(isText, `${what}. Give it as text.`);
const flag = unless((value) => typeof value === "boolean", "true or false.");

export function whyNotChoice(value: unknown, choices: readonly string[]): string | undefined {
  if (choices.includes(String(value))) return undefined;
  const known = choices.join(", ").replace(/, ([^,]*)$/, " or $1");
  return `is ${told(value)}.${didYouMean(String(value), choices)} It takes ${known}.`;
}

function choiceOf(name: string): WhyNot {
  const { choices = [] } = (settings as readonly Setting[]).find((each) => each.name === name) ?? {};
  return (value) => whyNotChoice(value, choices);
}

export function whyNotKind(kind: string): string | undefined {
  if ((EVENT_KINDS as readonly string[]).includes(kind)) return undefined;
  return `there is no kind ${shown(kind)}.${didYouMean(kind, EVENT_KINDS)}`;
}

/** An address may hold a password: whyNotTarget repeats none. */
function whyNotUrl(value: unknown): string | undefined {
  const reason = isText(value) ? whyNotTarget(value) : `${told(value)} is not a URL.`;
  return reason && `can't be taken: ${reason}`;
}

function whyNotKinds(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `is ${told(value)}, which is not a list of kinds.`;
  const [reason] = value.flatMap((kind) => whyNotKind(String(kind)) ?? []);
  return reason && `can't be taken: ${reason}`;
}

/** As a browser sends it: scheme, host and port, and nothing behind. */
function whyNotOrigins(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `is ${told(value)}, which is not a list of origins.`;
  const isOrigin = (each: unknown) => isText(each) && URL.canParse(each) && new URL(each).origin === each;
  const wrong = value.find((each) => each !== "*" && !isOrigin(each));
  return wrong === undefined
    ? undefined
    : `is ${told(wrong)}, which is not an origin. Write it as http://localhost:3000, or * for all.`;
}

export const whyNot: Readonly<Record<keyof Settings, WhyNot>> = {
  port: unless((value) => isWhole(value, 0, 65_535), "a port. Give one from 1 to 65535, or 0 for a free one."),
  host: text("an address"),
  fixture: text("the name of a fixture or its folder"),
  data: text("the path of a file"),
  fresh: flag,
  durability: choiceOf("durability"),
  clock: unless(
    (value) => isText(value) && readInstant(value) !== undefined,
    "an instant. Write it as 2030-06-01T09:00:00Z.",
  ),
  seed: unless(
    (value) => (isText(value) || Number.isSafeInteger(value)) && /^-?\d{1,30}$/.test(String(value)),
    "a whole number, such as 7.",
  ),
  webhookUrl: whyNotUrl,
  webhookEvents: whyNotKinds,
  allowPublicWebhooks: flag,
  maturity: choiceOf("maturity"),
  audience: unless((value) => Array.isArray(value) && value.every(isText), "a list of texts."),
  assume: unless(
    (value) => typeof value === "object" && value !== null && Object.values(value).every(isText),
    'an object such as { "signature-text": "v1" }.',
  ),
  retry: choiceOf("retry"),
  rateLimit: unless((value) => isWhole(value, 1, 999_999_999), "a number of requests a minute, such as 60."),
  cors: whyNotOrigins,
  // A secret is not repeated.
  controlToken: (value) =>
    isText(value) && /^[\x21-\x7e]+$/.test(value)
      ? undefined
      : "holds a blank, or a character that a header can't carry. Use letters, digits and signs.",
  strictResponses: flag,
};

/** The whole settings. Throws a SettingFault that names what can't be taken. */
export function settingsFrom(inputs: SandboxOptions): Settings {
  if (typeof inputs !== "object" || inputs === null)
    throw new SettingFault(`The options are ${told(inputs)}. Give an object such as { fixture: "empty" }, or nothing.`);
  const given = optional(inputs);
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(whyNot, name))
      throw new SettingFault(
        `There is no option ${shown(name)}.${didYouMean(name, Object.keys(whyNot))} Known: ${Object.keys(whyNot).join(", ")}.`,
      );
    const reason = whyNot[name as keyof Settings](value);
    if (reason !== undefined) throw new SettingFault(`${name} ${reason}`);
  }
  const { seed, webhookEvents = [], webhookUrl } = given;
  if (webhookEvents.length > 0 && webhookUrl === undefined)
    throw new SettingFault("webhookEvents says what to send, but not where. Add webhookUrl, or leave it out.");
  return { ...defaults, ...given, seed: seed === undefined ? undefined : String(seed) };
}
