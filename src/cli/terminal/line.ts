// Formats the parts of log lines and documents: cells, labels, titles, headers and bodies. Times are on the world's clock, in UTC.
import { formatAmount, isAmount } from "../../platform/amount-text.ts";
import { count } from "../../platform/count.ts";
import { isObject } from "../../platform/json.ts";
import { cut, escapeText, formatColumns, type Style, type Terminal } from "./terminal.ts";

export { escapeText } from "./terminal.ts";

export type Look = Pick<Terminal, "paint">;
export type Cell = readonly [text: string, style?: Style];

/** `09:00:05Z`. */
export const formatTime = (instant: string): string => `${instant.slice(11, 19)}Z`;

/** `2030-06-01 09:00:00`. */
export const formatInstant = (instant: string): string => instant.slice(0, 19).replace("T", " ");

/** Formats an instant as a time, with its date if that differs from the date of `since`. */
export function formatLaterTime(instant: string, since = instant): string {
  const day = instant.slice(0, 10);
  return day === since.slice(0, 10) ? formatTime(instant) : `${day} ${formatTime(instant)}`;
}

/** Returns a function that returns a date line if an entry is the first of its day, because log lines show only a time. */
export function createDayBreaks({ paint }: Look): (entry: { at: string; world?: string }) => string[] {
  // Each world has its own clock, and so its own date.
  const days = new Map<string | undefined, string>();
  return ({ at, world }) => {
    const day = at.slice(0, 10);
    if (days.get(world) === day) return [];
    days.set(world, day);
    return [paint("dim", [`${escapeText(day)} (UTC)`, ...toWorldCells(world).map(([text]) => text)].join("  "))];
  };
}

export const toWorldCells = (world: string | undefined): Cell[] =>
  world === undefined || world === "default" ? [] : [[`[${world}]`, "dim"]];

/** Escapes cells and joins those with a text to one line. */
export const joinCells = (cells: readonly Cell[], { paint }: Look): string =>
  cells
    .filter(([text]) => text !== "")
    .map(([text, style]) => (style ? paint(style, escapeText(text)) : escapeText(text)))
    .join("  ");

export function toStatusCell(status: number | null): Cell {
  if (status === null) return ["---", "red"];
  return [String(status), status < 300 ? "green" : status < 400 ? "cyan" : status < 500 ? "yellow" : "red"];
}

export const formatStatus = (status: number | null, paint: Terminal["paint"]): string =>
  joinCells([toStatusCell(status)], { paint });

export interface Detail {
  /** Headers, values and bodies are not cut. */
  full: boolean;
}

const MAX_LINES = 40;
const MAX_LINE_WIDTH = 400;

/** Formats a title with its lines indented below it; returns nothing if there are no lines. */
export function formatBlock(title: string, lines: readonly string[], { paint }: Look): string[] {
  return lines.length === 0 ? [] : ["", paint("bold", title), ...lines.map((line) => `  ${line}`.trimEnd())];
}

/** A row without a value is not shown. */
export type LabelRow = readonly [label: string, value: string | null | undefined];

/** Formats a row per label. */
export const formatLabels = (rows: readonly LabelRow[], { paint }: Look): string[] =>
  formatColumns(rows.flatMap(([label, value]) => (value ? [[`  ${paint("dim", label)}`, escapeText(value)]] : [])));

/** Formats a row per field of a record, in one line unless `full`. */
export function formatFields(fields: readonly (readonly [string, string])[], look: Look, { full }: Detail): string[] {
  const lines = formatColumns(fields.map(([name, value]) => [`  ${look.paint("dim", escapeText(name))}`, value]));
  return full ? lines : lines.map((line) => cut(line, MAX_LINE_WIDTH));
}

/** Formats a value in one line without the syntax of JSON. Objects in lists are only counted, because --json shows them. */
export function formatCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (isAmount(value)) return formatAmount(value);
  if (Array.isArray(value)) return value.some(isObject) ? count(value.length, "item") : escapeText(value.join(", "));
  if (!isObject(value)) return escapeText(String(value));
  const members = Object.entries(value).map(([name, each]) => [escapeText(name), formatCell(each)]);
  return members.flatMap(([name, text]) => (text === "" ? [] : [`${name} ${text}`])).join(", ");
}

/** Formats headers and a body with an empty line between them. */
export function formatParts(part: { headers: object; body?: unknown }, look: Look, size: Detail): string[] {
  const headers = Object.entries(part.headers).map(([name, value]) => {
    const text = escapeText([value].flat().join(", "));
    return `${look.paint("dim", `${escapeText(name)}:`)} ${size.full ? text : cut(text, MAX_LINE_WIDTH)}`;
  });
  const body = formatBody(part.body, look, size);
  return [...headers, ...(headers.length > 0 && body.length > 0 ? [""] : []), ...body];
}

/** Returns the lines of a body. JSON is indented; an empty body has no lines. Long bodies are cut unless `full`. */
export function formatBody(body: unknown, { paint }: Look, { full }: Detail): string[] {
  if (body === null || body === undefined || body === "") return [];
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  const lines = text.split(/\r?\n/).map(escapeText);
  if (full) return lines;
  const left = lines.length - MAX_LINES;
  const more = left > 0 ? [paint("dim", `… ${count(left, "more line")}; --full shows all`)] : [];
  return [...lines.slice(0, MAX_LINES).map((line) => cut(line, MAX_LINE_WIDTH)), ...more];
}
