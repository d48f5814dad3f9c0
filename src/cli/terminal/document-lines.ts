// Parts of a request or a message for a person: titles, headers, bodies. A long body is cut, and the last line says how to see all of it.

import { count } from "../../platform/count.ts";
import type { Look } from "./line.ts";
import { plain } from "./line.ts";
import { columns, cut, wrap } from "./terminal.ts";

export interface Size {
  /** Bodies are not cut. */
  full: boolean;
}

/** A screenful; --full shows all. */
const MOST_LINES = 40;
const LONGEST_LINE = 400;
const LONGEST_HEADER = 120;

/** Nothing at all where there is nothing below the title. */
export function titled(title: string, lines: readonly string[], { paint }: Look): string[] {
  return lines.length === 0 ? [] : ["", paint("bold", title), ...lines.map((line) => `  ${line}`.trimEnd())];
}

/** A row for each label with its value. */
export function labelLines(values: Readonly<Record<string, string | null | undefined>>, { paint }: Look): string[] {
  const rows = Object.entries(values).flatMap(([label, value]) => (value ? [[label, value] as const] : []));
  return columns(rows.map(([label, value]) => [`  ${paint("dim", label)}`, plain(value)]));
}

export function headerLines(
  headers: Readonly<Record<string, unknown>>,
  { paint, width }: Look,
  { full }: Size,
): string[] {
  return Object.entries(headers).map(([name, value]) => {
    const text = plain([value].flat().join(", "));
    return `${paint("dim", `${plain(name)}:`)} ${full ? text : cut(text, Math.max(20, Math.min(width, LONGEST_HEADER) - name.length - 4))}`;
  });
}

/** JSON indented, any other text as it is; nothing where there is no body. */
export function bodyLines(body: unknown, { width, paint }: Look, { full }: Size): string[] {
  if (body === null || body === undefined || body === "") return [];
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  const lines = text.split(/\r?\n/).map(plain);
  if (full) return lines;
  const cutLines = lines.slice(0, MOST_LINES).map((line) => cut(line, Math.min(width - 2, LONGEST_LINE)));
  // Lines that are left out and lines that are cut get different words.
  const left = lines.length - cutLines.length;
  const isCut = lines.some((line, at) => at < MOST_LINES && line !== cutLines[at]);
  if (left === 0 && !isCut) return cutLines;
  return [
    ...cutLines,
    paint("dim", left > 0 ? `… ${count(left, "more line")}; --full shows all` : "… --full shows all of each line"),
  ];
}

export function sentenceLines(text: string, width: number): string[] {
  return text === "" ? [] : wrap(plain(text), Math.min(width, 100) - 2);
}
