// A move of the clock as a step: by a duration, so that the story can begin at another instant.

import type { Json, JsonObject } from "../../platform/json.ts";
import { addFaults } from "./faults.ts";
import type { ClockEntry } from "./log-slice.ts";
import type { ReferenceTable } from "./reference-table.ts";
import type { StoryBuilder } from "./story-builder.ts";

/** On a running clock time passes between any two requests; so little of it makes no step. */
const MAX_IGNORED_MS = 60_000;
/** Lines that are expected; a story about more of them is about something else. */
const MAX_RECEIPT_LINES = 6;

/** To where the recorded world was, unless that is next to nothing. */
export function catchUp(at: string, builder: StoryBuilder): void {
  if (Date.parse(at) - Date.parse(builder.now) >= MAX_IGNORED_MS) move(at, {}, builder);
}

export function addClockMove(entry: ClockEntry, builder: StoryBuilder, isInSlice: boolean): void {
  const { to, receipt } = entry;
  if (Date.parse(to) <= Date.parse(builder.now)) return;
  addFaults(entry, builder);
  // Deliveries are expected by webhook steps.
  const lines = receipt.filter(({ what }) => what !== "deliveryAttempted");
  const expect = isInSlice && lines.length > 0 ? { expect: { receipt: expectReceipt(lines, builder.references) } } : {};
  const name = move(to, expect, builder);
  // What came due may bring ids up that later steps name.
  for (const [index, { facts }] of receipt.entries())
    for (const [at, { id }] of facts.entries())
      builder.references.learn(id, `${name}.receipt[${index}].facts[${at}].id`);
}

function move(to: string, members: JsonObject, builder: StoryBuilder): string {
  const ms = Date.parse(to) - Date.parse(builder.now);
  builder.now = to;
  // Only of whole seconds the duration can be read.
  if (ms % 1000 !== 0) return builder.add("the clock moves", { advance: to, ...members });
  const by = formatIsoDuration(ms / 1000);
  return builder.add(`the clock moves by ${by}`, { advance: by, ...members });
}

function expectReceipt(lines: ClockEntry["receipt"], references: ReferenceTable): Json {
  return lines.slice(0, MAX_RECEIPT_LINES).map(({ what, id }) => {
    const known = references.resolve(id);
    return known === undefined ? { what } : { what, id: known };
  });
}

/** Days of 24 hours, as clocks take them. */
function formatIsoDuration(seconds: number): string {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const time = [hours && `${hours}H`, minutes && `${minutes}M`, seconds % 60 && `${seconds % 60}S`]
    .filter(Boolean)
    .join("");
  return `P${days ? `${days}D` : ""}${time === "" ? "" : `T${time}`}`;
}
