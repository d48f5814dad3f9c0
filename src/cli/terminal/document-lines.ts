// Formats the parts of a request or a message: titles, labels, headers and bodies. Long bodies are cut unless --full is given.

import { count } from "../../platform/count.ts";
import type { Look } from "./line.ts";
import { escapeText } from "./line.ts";
import { cut, formatColumns, wrap } from "./terminal.ts";

export interface Detail {
  /** Headers and bodies are not cut. */
  full: boolean;
}

const MAX_LINES = 40;
const MAX_LINE_WIDTH = 400;
const MAX_HEADER_WIDTH = 120;

/** Formats a title with its lines indented below it; returns nothing if there are no lines. */
export function formatBlock(title: string, lines: readonly string[], { paint }: Look): string[] {
  return lines.length === 0 ? [] : ["", paint("bold", title), ...lines.map((line) => `  ${line}`.trimEnd())];
}

/** Formats a row per label; labels without a value are omitted. */
export function formatLabels(values: Readonly<Record<string, string | null | undefined>>, { paint }: Look): string[] {
  const rows = Object.entries(values).flatMap(([label, value]) => (value ? [[label, value] as const] : []));
  return formatColumns(rows.map(([label, value]) => [`  ${paint("dim", label)}`, escapeText(value)]));
}

export function formatHeaders(
  headers: Readonly<Record<string, unknown>>,
  { paint, width }: Look,
  { full }: Detail,
): string[] {
  return Object.entries(headers).map(([name, value]) => {
    const text = escapeText([value].flat().join(", "));
    return `${paint("dim", `${escapeText(name)}:`)} ${full ? text : cut(text, Math.max(20, Math.min(width, MAX_HEADER_WIDTH) - name.length - 4))}`;
  });
}

/** Returns the lines of a body. JSON is indented; an empty body has no lines. */
export function formatBody(body: unknown, { width, paint }: Look, { full }: Detail): string[] {
  if (body === null || body === undefined || body === "") return [];
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  const lines = text.split(/\r?\n/).map(escapeText);
  if (full) return lines;
  const cutLines = lines.slice(0, MAX_LINES).map((line) => cut(line, Math.min(width - 2, MAX_LINE_WIDTH)));
  const left = lines.length - cutLines.length;
  const isCut = lines.some((line, at) => at < MAX_LINES && line !== cutLines[at]);
  if (left === 0 && !isCut) return cutLines;
  return [
    ...cutLines,
    paint("dim", left > 0 ? `… ${count(left, "more line")}; --full shows all` : "… --full shows all of each line"),
  ];
}

export function wrapSentence(text: string, width: number): string[] {
  return text === "" ? [] : wrap(escapeText(text), Math.min(width, 100) - 2);
}
