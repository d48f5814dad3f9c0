// A text as its sender seems to have meant it: a plus that became a blank, another case, a time without its T, with an offset where none
// is taken, or the word that is nearly the same. An instant stays that instant, to its last digit.

import type { JsonSchema } from "../../../contract/json-schema.ts";
import { nearest } from "../../../platform/nearest.ts";
import { durationMillis, fromMillis, instantToLocal, isDuration, isLocal } from "../../domain/kernel/instant.ts";
import { zoneNamed } from "../../domain/kernel/zone.ts";

interface TextContext {
  name: string;
  /** In which a local time stands there. */
  zone: string;
}

/** Undefined: nothing of it fits. */
export function repairedText(value: unknown, schema: JsonSchema, where: TextContext): string | undefined {
  if (value === undefined || value === null || typeof value === "object") return undefined;
  const text = String(value);
  const { maxLength = Number.POSITIVE_INFINITY } = schema;
  const short = [...text].length > maxLength ? [...text].slice(0, maxLength).join("") : text;
  return candidates(short, schema, where).find((each) => fits(each, schema));
}

/** From the nearest on. */
function* candidatesOf(text: string, schema: JsonSchema, where: TextContext): Generator<string | undefined> {
  const trimmed = text.trim();
  // As it is: another part of the text may have been wrong.
  yield text;
  if (text.startsWith(" ")) yield `+${trimmed}`;
  yield trimmed;
  yield trimmed.toUpperCase();
  yield trimmed.toLowerCase();
  yield* wordsNear(trimmed, schema.pattern ?? "");
  yield* timesOf(text, where.zone);
  if (schema.format === "email") yield emailOf(trimmed);
  if (schema.format === "duration") yield wholeDuration(trimmed);
  if (schema.format === "uri" || /http/i.test(schema.pattern ?? "")) yield `https://${trimmed}`;
  if (where.name === "timezone") yield nearestZone(trimmed);
}

const candidates = (...of: Parameters<typeof candidatesOf>): string[] =>
  [...candidatesOf(...of)].filter((each) => each !== undefined);

/** As strict as the validators are, or a repaired text would be refused again. */
const FORMS: Readonly<Record<string, (text: string) => boolean>> = {
  "date-time": (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) && isDay(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text),
  email: (text) => /^[^\s@(),;:<>]+@[^\s@(),;:<>]+\.[^\s@(),;:<>]+$/.test(text),
  uri: (text) => URL.canParse(text),
  uuid: (text) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  duration: (text) => /^P(?!$)((\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?|\d+W)$/.test(text),
};

function fits(
  text: string,
  { pattern, format, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema,
): boolean {
  const { length } = [...text];
  if (length < minLength || length > maxLength) return false;
  if (pattern !== undefined && !new RegExp(pattern, "u").test(text)) return false;
  // In a pattern a thirty-first of February is a day.
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !isDay(text)) return false;
  return FORMS[format ?? ""]?.(text) ?? true;
}

const isDay = (text: string): boolean => isLocal(`${text.slice(0, 10)}T00:00:00`);

/** Of a pattern that is a choice of words with an optional sign before them. */
function* wordsNear(text: string, pattern: string): Generator<string | undefined> {
  const [, words = ""] = /^\^\[\+-\]\??\((\w+(?:\|\w+)*)\)\$$/.exec(pattern) ?? [];
  if (words === "") return;
  const [, sign = "", word = ""] = /^([+-]?)(.*)$/.exec(text) ?? [];
  const near = nearest(word, words.split("|"));
  if (near !== undefined) yield sign + near;
}

interface InstantParts {
  /** `YYYY-MM-DDTHH:MM:SS`. */
  wall: string;
  /** With its point. */
  fraction: string;
  /** In minutes; undefined where there is none. */
  offset: number | undefined;
}

/** Also with a blank for its T or for the plus of its offset, and without seconds or a time. */
function momentOf(text: string): InstantParts | undefined {
  const read =
    /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d)?([.,]\d{1,9})?)? ?(?:([Zz])|([+\- ])(\d\d):?(\d\d)?)?$/.exec(
      text.trim(),
    );
  if (!read) return undefined;
  const [, date, time = "00:00", seconds = ":00", fraction = "", utc, sign, hours, minutes = "00"] = read;
  const ahead = hours === undefined ? undefined : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return {
    wall: `${lastDayIfNone(date ?? "")}T${time}${seconds}`,
    fraction: fraction.replace(",", "."),
    offset: utc ? 0 : ahead,
  };
}

/** The thirty-first of a month of thirty days is its last. */
function lastDayIfNone(date: string): string {
  const [year = "", month = "", day = ""] = date.split("-");
  if (Number(day) > 31 || Number(day) < 29) return date;
  const last = ["31", "30", "29", "28"].find((each) => each <= day && isDay(`${year}-${month}-${each}`));
  return last === undefined ? date : `${year}-${month}-${last}`;
}

/** The same moment in the other ways in which a moment is written. */
function* timesOf(text: string, zone: string): Generator<string | undefined> {
  const moment = momentOf(text);
  if (!moment || Number.isNaN(Date.parse(`${moment.wall}Z`))) return;
  const { wall, fraction, offset = 0 } = moment;
  const utc = fromMillis(Date.parse(`${wall}Z`) - offset * 60_000).slice(0, 19);
  const local = moment.offset === undefined ? wall : instantToLocal(`${utc}.000Z`, zone);
  const asLocal = [`${local}${fraction}`, local, local.slice(0, 16)];
  const asInstant = [...(offset === 0 ? [] : [`${wall}${fraction}${signed(offset)}`]), `${utc}${fraction}Z`, `${utc}Z`];
  // A time without an offset was most likely meant as local.
  yield* moment.offset === undefined ? [...asLocal, ...asInstant] : [...asInstant, ...asLocal];
  // Where only a day or a time of day is taken.
  yield wall.slice(0, 10);
  yield wall.slice(11, 16);
}

function signed(offset: number): string {
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${offset < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}

/** In whole hours, minutes and seconds. */
function wholeDuration(text: string): string | undefined {
  if (!isDuration(text)) return undefined;
  const seconds = Math.max(1, Math.round(durationMillis(text) / 1000));
  const parts = { H: Math.floor(seconds / 3600), M: Math.floor(seconds / 60) % 60, S: seconds % 60 };
  return `PT${Object.entries(parts)
    .map(([unit, count]) => (count > 0 ? `${count}${unit}` : ""))
    .join("")}`;
}

const emailOf = (text: string): string =>
  text
    .replace(/^mailto:/i, "")
    .replace(/^[^<]*<([^>]*)>$/, "$1")
    .replace(/\(at\)|\[at\]|\sat\s/i, "@")
    .replace(/\s/g, "");

/** As it is spelled there, or the one that is nearly called so. */
export const nearestZone = (text: string): string | undefined =>
  zoneNamed(text) ?? nearest(text.replaceAll(" ", "_"), Intl.supportedValuesOf("timeZone"));
