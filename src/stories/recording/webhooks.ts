// Adds steps that expect the webhook messages that an entry caused.

import type { Json, JsonObject } from "../../platform/json.ts";
import { expectPayload } from "./expectations.ts";
import type { ActEntry, ClockEntry, LogSlice, Message, RequestEntry } from "./log-slice.ts";
import type { StoryBuilder } from "./story-builder.ts";

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
