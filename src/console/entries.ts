// Types of log entries and explanations, from the control API.
import type { Schemas } from "../client/control.ts";

export type RequestEntry = Schemas["RequestEntry"];
export type ActEntry = Schemas["ActEntry"];
export type DeliveryEntry = Schemas["DeliveryEntry"];
export type Entry = Schemas["LogEntry"];
/** An entry that starts a story; deliveries belong to the story of another entry. */
export type Head = Exclude<Entry, DeliveryEntry>;

/** Returns the name of the act or operation, if the entry has one. */
export const getActionName = (entry: Entry): string | null | undefined =>
  "act" in entry ? entry.act : "operation" in entry ? entry.operation : undefined;

/** The reasons why a history or log begins, by their names in the control API. */
export const BEGINNINGS: Readonly<Record<string, string>> = {
  start: "the sandbox was started",
  opened: "version 0.2.0 had written the world",
  created: "the world was made",
  fork: "the world was forked",
  reset: "the world was reset",
  import: "a world was imported",
  restore: "a snapshot was restored",
  populate: "data was added in bulk",
  dropped: "earlier changes are no longer kept",
};
