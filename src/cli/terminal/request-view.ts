// One request of the log as a whole, for a person: what was sent and answered, and what was wrong.

import type { Schemas } from "../../client/control.ts";
import { bodyLines, headerLines, type Size, sentenceLines, titled } from "./document-lines.ts";
import type { Look } from "./line.ts";
import { plain, statusText } from "./line.ts";
import { columns } from "./terminal.ts";

export function requestView(logged: Schemas["RequestEntry"], look: Look, size: Size): string {
  const { request, answer, violations = [], notes = [] } = logged;
  const { width } = look;
  return [
    ...headOf(logged, look),
    ...titled("Error", sentenceLines(reasonOf(logged), width), look),
    ...titled(
      "Violations",
      violations.flatMap(({ code, message }) => sentenceLines(`${message} (${code})`, width)),
      look,
    ),
    ...titled(
      "Notes",
      notes.flatMap((note) => sentenceLines(note, width)),
      look,
    ),
    ...titled("Request", request ? partsOf(request, look, size) : [], look),
    ...titled("Response", answer ? partsOf(answer, look, size) : ["none: the connection was closed"], look),
  ].join("\n");
}

function headOf(logged: Schemas["RequestEntry"], { paint }: Look): string[] {
  const { method, path, status, operation, at, wall_at, client_id, duration_ms, id, test } = logged;
  const rows = [
    ["id", id],
    ["operation", operation ?? "none: not a path of the API"],
    ["at", `${at} (${duration_ms.toFixed(1)} ms)`],
    ["real time", wall_at],
    ["client", client_id ?? "none: no valid token"],
    ...(test === null ? [] : [["test", test]]),
  ];
  return [
    `${statusText(status, paint)}  ${paint("bold", plain(method))} ${plain(path)}`,
    ...columns(rows.map(([label = "", value = ""]) => [`  ${paint("dim", label)}`, plain(value)])),
  ];
}

/** The code and the sentence of an error response; violations say it by themselves. */
function reasonOf({ code, message, violations = [] }: Schemas["RequestEntry"]): string {
  return violations.length > 0 ? "" : [code, message].filter(Boolean).join(": ");
}

function partsOf(part: { headers: object; body?: unknown }, look: Look, size: Size): string[] {
  const headers = headerLines(part.headers as Record<string, unknown>, look, size);
  const body = bodyLines(part.body, look, size);
  return [...headers, ...(headers.length > 0 && body.length > 0 ? [""] : []), ...body];
}
