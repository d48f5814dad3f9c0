// Adds a step that arms the faults that hit a request, or a delivery of a message that an entry caused. Each fault hits as often as in the
// recording.

import type { JsonObject } from "../../platform/json.ts";
import type { ActEntry, ClockEntry, RequestEntry } from "./log-slice.ts";
import { type StoryBuilder, toWords } from "./story-builder.ts";
import { listMessageIds } from "./webhooks.ts";

/** Adds one step for all faults, because each step replaces the armed faults. */
export function addFaults(entry: RequestEntry | ActEntry | ClockEntry, builder: StoryBuilder): void {
  const ofRequest = entry.kind === "request" ? listFaults(entry, builder) : [];
  const armed = [...ofRequest, ...listDeliveryFaults(entry, builder)];
  const [first, second] = armed;
  if (!first) return;
  const subject = entry.kind === "request" && ofRequest.length > 0 ? toWords(entry.operation ?? "") : "a delivery";
  builder.add(`a fault of ${subject}`, { fault: second ? armed : first });
}

const listFaults = ({ faults }: RequestEntry, { references }: StoryBuilder): JsonObject[] =>
  faults.flatMap(({ fault }) =>
    fault && hasEffect(fault) ? [references.withReferences(toOneHit(fault)) as JsonObject] : [],
  );

/** A delay does not change the response. A request with a revoked token becomes a step with an unknown token, so it needs no fault. */
const hasEffect = ({ delay_ms, status, connection, token }: JsonObject): boolean =>
  (delay_ms === undefined || status !== undefined || connection !== undefined) &&
  (token as JsonObject | undefined)?.revoke === undefined;

function toOneHit({ name: _, skip: __, share: ___, seed: ____, client_id: _____, ...fault }: JsonObject): JsonObject {
  return { ...fault, times: 1 };
}

/** Lists the faults of deliveries. Each fault skips the deliveries of its kind that it did not hit. */
function listDeliveryFaults(entry: RequestEntry | ActEntry | ClockEntry, builder: StoryBuilder): JsonObject[] {
  const attempts = listMessageIds(entry, builder.slice).flatMap((id) => builder.firstAttempts.get(id) ?? []);
  const passed = new Map<string, number>();
  const times = new Map<string, number>();
  for (const { webhook_kind: kind, faults } of attempts) {
    const delivery = faults[0]?.fault?.delivery as JsonObject | undefined;
    const skip = passed.get(kind) ?? 0;
    if (!delivery) passed.set(kind, skip + 1);
    else {
      const fault = JSON.stringify({ delivery: { ...delivery, kind }, ...(skip > 0 ? { skip } : {}) });
      times.set(fault, (times.get(fault) ?? 0) + 1);
    }
  }
  return Array.from(times, ([fault, count]) => ({ ...(JSON.parse(fault) as JsonObject), times: count }));
}
