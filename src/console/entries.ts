// Types of log entries and explanations, from the control API.
import type { Schemas } from "../client/control.ts";

export type Fact = Schemas["Facts"][number];
export type RequestEntry = Schemas["RequestEntry"];
export type ActEntry = Schemas["ActEntry"];
export type DeliveryEntry = Schemas["DeliveryEntry"];
export type Entry = Schemas["LogEntry"];
/** An entry that starts a story; deliveries belong to the story of another entry. */
export type Head = Exclude<Entry, DeliveryEntry>;

/** Returns the name of the act or operation, if the entry has one. */
export const getActionName = (entry: Entry): string | null | undefined =>
  "act" in entry ? entry.act : "operation" in entry ? entry.operation : undefined;

/** A part of the sentence that describes an outcome. */
export type Phrase = Schemas["Phrase"];

export type Why = Schemas["Why"];
export type RecordChange = Schemas["WhyRecord"] & Pick<Schemas["RecordDiff"], "title" | "timezone" | "causes">;
