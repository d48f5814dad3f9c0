// Adds steps about webhooks: the faults that hit a request or a delivery, the responses of the player's receiver, and the messages that an entry
// caused. Steps of faults and of the receiver come before the entry that causes the deliveries.

import type { Json, JsonObject } from "../../platform/json.ts";
import { expectPayload } from "./expectations.ts";
import type { ActEntry, ClockEntry, DeliveryEntry, LogSlice, Message, RequestEntry } from "./log-slice.ts";
import { type StoryBuilder, toWords } from "./story-builder.ts";

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

/** The status that represents a receiver that did not respond. */
const NO_ANSWER = 503;

/** Adds at most two steps: one for the final response, and one for the responses before it. */
export function addReceiver(attempts: readonly DeliveryEntry[], builder: StoryBuilder): void {
  // Dropped deliveries never reached the receiver.
  const sent = attempts.filter(({ attempt }) => attempt.outcome !== "DROPPED");
  const answers = sent.map(({ attempt }) => attempt.status ?? NO_ANSWER);
  const [first = builder.answer] = answers;
  const last = answers.at(-1) ?? builder.answer;
  // The number of attempts with the first response, before another response.
  const times = answers.findIndex((answer) => answer !== first);
  if (first === last && times < 0) {
    if (first !== builder.answer) addReceiverStep({ answer: first }, builder);
  } else {
    if (last !== builder.answer) addReceiverStep({ answer: last }, builder);
    addReceiverStep({ answer: first, times }, builder);
    if (answers.slice(times).some((answer) => answer !== last))
      builder.leaveOut(
        "A receiver alternated its responses in a way that steps can't express; its responses differ in the scenario.",
      );
  }
  builder.answer = last;
}

function addReceiverStep(orders: JsonObject, builder: StoryBuilder): void {
  builder.add(
    orders.times === undefined
      ? `the receiver answers ${orders.answer}`
      : `the receiver first answers ${orders.answer}`,
    { receiver: orders },
  );
}

/** The number of messages is expected instead if a kind has more different payloads. */
const MAX_MESSAGES = 4;

/** Lists the messages of an entry. A clock move that a rewind has split only has the messages until then. */
export function listMessageIds(entry: RequestEntry | ActEntry | ClockEntry, { messages }: LogSlice): readonly string[] {
  if (entry.kind === "act") return [...(entry.move?.messages ?? []), ...entry.messages];
  if (entry.kind === "request") return entry.messages;
  return entry.messages.filter((id) => (messages.get(id)?.at ?? "") <= entry.to);
}

export function addMessages(ids: readonly string[], builder: StoryBuilder, isInSlice: boolean): void {
  const caused = ids.flatMap((id) => builder.slice.messages.get(id) ?? []);
  builder.messages.push(...caused);
  if (!isInSlice) return;
  for (const kind of new Set(caused.map((message) => message.kind))) {
    const payloads = caused.filter((message) => message.kind === kind).map(({ payload }) => payload);
    // Equal payloads become one step, which counts them.
    const wanted = new Map(
      payloads.map((payload) => [JSON.stringify(expectPayload(payload, builder.references)), payload]),
    );
    if (wanted.size > MAX_MESSAGES) addKind(kind, {}, {}, builder);
    else
      for (const payload of wanted.values())
        addKind(kind, expectPayload(payload, builder.references), payload, builder);
  }
}

/** `times` counts from the start of the world, like the player. */
function addKind(kind: string, wanted: JsonObject, payload: JsonObject, builder: StoryBuilder): void {
  const fitting = builder.messages.filter((each) => each.kind === kind && matchesPayload(wanted, payload, each));
  const expect = { ...(Object.keys(wanted).length > 0 ? { payload: wanted } : {}), times: fitting.length };
  const name = builder.add(`${kind.slice(3).replaceAll(/[._]/g, " ")} is sent`, { webhook: kind, expect });
  // A reference uses the last of several matching messages, so only a single one is safe.
  const [only] = fitting;
  if (only && fitting.length === 1) builder.references.learn(only.payload, `${name}.payload`);
}

/** Returns whether a message matches: fields with a matcher by type or length, and others by the value of the payload. */
function matchesPayload(wanted: JsonObject, payload: JsonObject, message: Message): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const member: Json = message.payload[name] ?? null;
    const text = JSON.stringify(value);
    if (text.includes('{"$length"')) return Array.isArray(member) && member.length === (payload[name] as Json[]).length;
    if (text.includes('{"$type"')) return typeof member === typeof payload[name];
    return JSON.stringify(member) === JSON.stringify(payload[name]);
  });
}
