// One request of the log as a whole, for a person: what was sent and answered, what was wrong, what it changed and which messages it caused.
import type { Schemas } from "../../client/control.ts";
import { bodyLines, headerLines, type Size, sentenceLines, titled } from "./document-lines.ts";
import { plain, statusText } from "./line.ts";
import { deliveryLines } from "./message-view.ts";
import { columns, type Terminal } from "./terminal.ts";

type Screen = Pick<Terminal, "paint" | "width">;

/** `messages` are those it caused that are still kept. */
export function requestView(
  logged: Schemas["RequestEntry"],
  messages: readonly Schemas["Message"][],
  screen: Screen,
  size: Size,
): string {
  const { request, answer, violations = [], notes = [], facts } = logged;
  const { paint, width } = screen;
  return [
    ...headOf(logged, screen),
    ...titled("Error", sentenceLines(reasonOf(logged), width), screen),
    ...titled(
      "Violations",
      violations.flatMap(({ code, message }) => sentenceLines(`${message} (${code})`, width)),
      screen,
    ),
    ...titled(
      "Notes",
      notes.flatMap((note) => sentenceLines(note, width)),
      screen,
    ),
    ...titled("Request", request ? partsOf(request, screen, size) : [], screen),
    ...titled("Response", answer ? partsOf(answer, screen, size) : ["none: the connection was closed"], screen),
    ...titled("Facts", columns(facts.map(({ fact, id }) => [paint("green", fact), id])), screen),
    ...titled("Messages", messageLines(logged, messages, screen), screen),
  ].join("\n");
}

function headOf(logged: Schemas["RequestEntry"], { paint }: Screen): string[] {
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

function partsOf(part: { headers: object; body?: unknown }, screen: Screen, size: Size): string[] {
  const headers = headerLines(part.headers as Record<string, unknown>, screen, size);
  const body = bodyLines(part.body, screen, size);
  return [...headers, ...(headers.length > 0 && body.length > 0 ? [""] : []), ...body];
}

export function messageLines(
  { messages: ids }: Pick<Schemas["RequestEntry"], "messages">,
  messages: readonly Schemas["Message"][],
  screen: Screen,
): string[] {
  return ids.flatMap((id) => {
    const message = messages.find((each) => each.id === id);
    if (!message) return [`${id}  ${screen.paint("dim", "no longer kept")}`];
    return [`${id}  ${message.kind}`, ...deliveryLines(message, screen).map((line) => `  ${line}`)];
  });
}
