// Formats the parts of a request or a message: titles, labels, headers and bodies. Long bodies are cut unless --full is given.
import { count } from "../../platform/count.ts";
import { escapeText, type Look } from "./line.ts";
import { cut, formatColumns } from "./terminal.ts";

export interface Detail {
  /** Headers and bodies are not cut. */
  full: boolean;
}

const MAX_LINES = 40;
export const MAX_LINE_WIDTH = 400;

/** Formats a title with its lines indented below it; returns nothing if there are no lines. */
export function formatBlock(title: string, lines: readonly string[], { paint }: Look): string[] {
  return lines.length === 0 ? [] : ["", paint("bold", title), ...lines.map((line) => `  ${line}`.trimEnd())];
}

/** A row without a value is not shown. */
export type LabelRow = readonly [label: string, value: string | null | undefined];

/** Formats a row per label. */
export const formatLabels = (rows: readonly LabelRow[], { paint }: Look): string[] =>
  formatColumns(rows.flatMap(([label, value]) => (value ? [[`  ${paint("dim", label)}`, escapeText(value)]] : [])));

/** Formats headers and a body with an empty line between them. */
export function formatParts(part: { headers: object; body?: unknown }, look: Look, size: Detail): string[] {
  const headers = Object.entries(part.headers).map(([name, value]) => {
    const text = escapeText([value].flat().join(", "));
    return `${look.paint("dim", `${escapeText(name)}:`)} ${size.full ? text : cut(text, MAX_LINE_WIDTH)}`;
  });
  const body = formatBody(part.body, look, size);
  return [...headers, ...(headers.length > 0 && body.length > 0 ? [""] : []), ...body];
}

/** Returns the lines of a body. JSON is indented; an empty body has no lines. */
export function formatBody(body: unknown, { paint }: Look, { full }: Detail): string[] {
  if (body === null || body === undefined || body === "") return [];
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  const lines = text.split(/\r?\n/).map(escapeText);
  if (full) return lines;
  const left = lines.length - MAX_LINES;
  const more = left > 0 ? [paint("dim", `… ${count(left, "more line")}; --full shows all`)] : [];
  return [...lines.slice(0, MAX_LINES).map((line) => cut(line, MAX_LINE_WIDTH)), ...more];
}
