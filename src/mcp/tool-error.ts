// Formats an error of the control API for tools: it names their arguments and the tool calls that list existing ids.
import { formatError, nameMember, type ReportedError } from "../client/format-error.ts";
import { formatCall } from "./tool.ts";

const LISTS: Readonly<Record<string, string>> = {
  "GET /_sandbox/worlds": formatCall("world", { action: "list" }),
  "GET /_sandbox/requests": formatCall("requests", {}),
  "GET /_sandbox/log": formatCall("requests", {}),
  "GET /_sandbox/messages": formatCall("requests", { of: "messages" }),
  "GET /_sandbox/acts": formatCall("list_acts", {}),
  "GET /_sandbox/faults": formatCall("faults", { action: "list" }),
  "GET /_sandbox/verdicts": formatCall("verdict", { action: "list" }),
};

/** `within` is the argument that contains the complete input, if the fields are not arguments themselves. */
export const formatToolError = (error: ReportedError, within?: string): string =>
  formatError(error, {
    value: (violation) => `\`${[within, nameMember(violation)].filter(Boolean).join(".") || "input"}\``,
    list: (request) => LISTS[request],
  });
