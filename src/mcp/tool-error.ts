// An error of the control API in the names of tools: its arguments, and the calls that list what exists.
import { formatError, nameMember, type ReportedError } from "../client/format-error.ts";
import { callOf } from "./tool.ts";

const LISTS: Readonly<Record<string, string>> = {
  "GET /_sandbox/worlds": callOf("world", { action: "list" }),
  "GET /_sandbox/requests": callOf("requests", {}),
  "GET /_sandbox/log": callOf("requests", {}),
  "GET /_sandbox/messages": callOf("requests", { of: "messages" }),
  "GET /_sandbox/acts": callOf("list_acts", {}),
  "GET /_sandbox/faults": callOf("faults", { action: "list" }),
  "GET /_sandbox/verdicts": callOf("verdict", { action: "list" }),
};

/** `within`: the argument that has the whole input, if the tool does not take its members as arguments. */
export const formatToolError = (error: ReportedError, within?: string): string =>
  formatError(error, {
    value: (violation) => `\`${[within, nameMember(violation)].filter(Boolean).join(".") || "input"}\``,
    list: (request) => LISTS[request],
  });
