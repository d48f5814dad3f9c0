// The options that filter the entries of the log, and the query that they become.
import type { Schemas } from "../client/control.ts";
import { toExcerpt } from "../engine/settings.ts";
import { optional } from "../platform/optional.ts";
import { type Option, option } from "./command.ts";
import { Misuse, rejectUnknown } from "./failure.ts";
import type { Given } from "./options.ts";

export const filterOptions: readonly Option[] = [
  option.text("kinds", "a,b", "Only these kinds: request, act, clock, delivery or world."),
  option.text("filter-status", "4xx", "Only this status, such as 404, or this class of statuses."),
  option.text("filter-operation", "id", "Only this operationId, such as createBooking, or this act."),
  option.flag("failed", "Only failed or rejected entries."),
  option.text("touches", "id", "Only entries that name or changed the record with this id."),
  option.text("test", "name", "Only entries of this test."),
];

/** The option for each parameter of the query. */
export const FILTER_OPTIONS = {
  kinds: "--kinds",
  limit: "--limit",
  operation: "--filter-operation",
  status: "--filter-status",
  test: "--test",
  touches: "--touches",
};

type Kind = Schemas["EntryKind"];
/** The order is that of the help. */
const KINDS: readonly Kind[] = ["request", "act", "clock", "delivery", "world"];

/** The query parameters of the control API. */
export interface Filter {
  kinds?: Kind[];
  status?: string;
  operation?: string;
  failed?: "true";
  touches?: string;
  test?: string;
}

export const isKind = (text: string): boolean => KINDS.some((kind) => kind === text);

/** Throws a Misuse for an unknown kind or an invalid status. */
export function readFilter(given: Given): Filter {
  return optional({
    kinds: readKinds(given.text("kinds")),
    status: readStatus(given.text("filter-status")),
    operation: given.text("filter-operation"),
    failed: given.flag("failed") ? ("true" as const) : undefined,
    touches: given.text("touches"),
    test: given.text("test"),
  }) as Filter;
}

function readKinds(text: string | undefined): Kind[] | undefined {
  return text?.split(",").map((each) => {
    const kind = KINDS.find((known) => known === each.trim());
    if (kind) return kind;
    throw rejectUnknown("--kinds: there is no kind", each, KINDS, `Known: ${KINDS.join(", ")}.`);
  });
}

function readStatus(text: string | undefined): string | undefined {
  if (text === undefined || /^[1-5](\d\d|xx)$/i.test(text)) return text?.toLowerCase();
  throw new Misuse(
    `--filter-status is ${toExcerpt(text)}, which is not a status. Write it as 404, or 4xx for all of them.`,
  );
}
