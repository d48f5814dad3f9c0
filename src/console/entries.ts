// What the log and `why` tell, by the types of the control API.
import type { Schemas } from "../client/control.ts";

export type Fact = Schemas["Facts"][number];
export type RequestEntry = Schemas["RequestEntry"];
export type ActEntry = Schemas["ActEntry"];
export type DeliveryEntry = Schemas["DeliveryEntry"];
export type Entry = Schemas["LogEntry"];
/** What begins a story. */
export type Head = Exclude<Entry, DeliveryEntry>;

/** What was asked for, where somebody asked. */
export const getActionName = (entry: Entry): string | null | undefined =>
  "act" in entry ? entry.act : "operation" in entry ? entry.operation : undefined;

/** Its outcome, in words. */
export type Phrase = Schemas["Phrase"];

export type Why = Schemas["Why"];
export type RecordChange = Schemas["WhyRecord"] & Pick<Schemas["RecordDiff"], "title" | "timezone" | "causes">;
