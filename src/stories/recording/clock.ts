// Converts a clock move to a step. The step has a duration, so that the scenario can begin at another instant.

import type { Json, JsonObject } from "../../platform/json.ts";
import { addFaults } from "./deliveries.ts";
import type { ClockEntry } from "./log-slice.ts";
import type { ReferenceTable } from "./reference-table.ts";
import type { StoryBuilder } from "./story-builder.ts";

/** A running clock moves between any two requests. Moves shorter than this become no step. */
const MAX_IGNORED_MS = 60_000;
/** The limit keeps the expectation of a step short. */
const MAX_RECEIPT_LINES = 6;

/** Moves the clock to the time of the recorded world, unless the difference is small. */
export function moveClockTo(at: string, builder: StoryBuilder): void {
  if (Date.parse(at) - Date.parse(builder.now) >= MAX_IGNORED_MS) addMove(at, {}, builder);
}

export function addClockMove(entry: ClockEntry, builder: StoryBuilder, isInSlice: boolean): void {
  const { to, receipt } = entry;
  if (Date.parse(to) <= Date.parse(builder.now)) return;
  addFaults(entry, builder);
  // Webhook steps expect deliveries, so receipts need not.
  const lines = receipt.filter(({ what }) => what !== "deliveryAttempted");
  const expect = isInSlice && lines.length > 0 ? { expect: { receipt: expectReceipt(lines, builder.references) } } : {};
  const name = addMove(to, expect, builder);
  // Later steps may refer to ids of the facts.
  for (const [index, { facts }] of receipt.entries())
    for (const [at, { id }] of facts.entries())
      builder.references.learn(id, `${name}.receipt[${index}].facts[${at}].id`);
}

function addMove(to: string, members: JsonObject, builder: StoryBuilder): string {
  const ms = Date.parse(to) - Date.parse(builder.now);
  builder.now = to;
  // A duration with fractions of a second would be hard to read.
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

/** Formats a duration in which days have 24 hours, like those of the clock. */
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
