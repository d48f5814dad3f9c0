// Creates a scenario from a slice of a world's log: calls, acts, clock moves and injected faults in their original order, with the webhooks
// that they caused. Earlier entries that changed the world come first, without expectations.
import { EVENT_KINDS } from "../../engine/domain/index.ts";
import { count } from "../../platform/count.ts";
import type { Json, JsonObject } from "../../platform/json.ts";
import { pickBranch } from "./branch.ts";
import { createExpectation, createTokenCall, rememberToken, toCall } from "./calls.ts";
import { addFaults, addMessages, addReceiver, listMessageIds } from "./deliveries.ts";
import { selectExpectation } from "./expectations.ts";
import {
  type ActEntry,
  type ClockEntry,
  type DeliveryEntry,
  type Entry,
  Inexpressible,
  isChange,
  isOverride,
  isUnsupported,
  type LogSlice,
  type Recording,
  type RequestEntry,
  UNSUPPORTED,
  type WorldEntry,
} from "./log-slice.ts";
import { extractGiven, mergeRepeatedSteps } from "./repeated-parts.ts";
import { type ReferenceTable, StoryBuilder, toWords } from "./story-builder.ts";

type RecordedEntry = RequestEntry | ActEntry | ClockEntry | WorldEntry;

/** The function is pure, so the same slice gives the same scenario. */
export function toStory(slice: LogSlice): Recording {
  const builder = new StoryBuilder(slice);
  const { from = 0, to = Number.POSITIVE_INFINITY, only } = slice;
  const { entries, undone } = pickBranch(slice.entries, to, slice.spans);
  if (undone > 0)
    builder.leaveOut(`A rewind undid ${count(undone, "entry", "entries")} of the log, which the scenario omits.`);
  // Selected entries never include these commands.
  for (const entry of only ? [] : entries)
    if (entry.kind === "world" && entry.seq >= from && isUnsupported(entry.change))
      builder.leaveOut(`Left out: ${UNSUPPORTED[entry.change]}, which no step can say.`);
  const assumed = { ...slice.beginning.assume };
  for (const [entry, attempts] of groupScenes(mergeMoves(entries))) {
    // Overrides before the first step belong to the head.
    if (isOverride(entry) && builder.steps.length === 0) {
      Object.assign(assumed, entry.detail.set);
      continue;
    }
    const isInSlice = entry.seq >= from && (only === undefined || listIds(entry).some((id) => only.has(id)));
    // Entries before the scenario only matter if they changed the world.
    if (!isInSlice && !isOverride(entry) && !isChange(entry)) continue;
    // The receiver step must come before the entry that causes the attempts.
    addReceiver(attempts, builder);
    if (addEntry(entry, builder, isInSlice) && entry.kind !== "world")
      addMessages(listMessageIds(entry, slice), builder, isInSlice);
  }
  const { title, beginning } = slice;
  const { given, steps } = extractGiven(mergeRepeatedSteps(builder.steps));
  const { fixture, clock, seed, server } = beginning;
  const head = {
    title,
    fixture,
    clock,
    seed,
    ...(Object.keys(server).length > 0 ? { server } : {}),
    ...(Object.keys(assumed).length > 0 ? { assume: assumed } : {}),
    ...(Object.keys(given).length > 0 ? { given } : {}),
  };
  const leftOut = [...builder.leftOut].map(([sentence, times]) =>
    times === 1 ? sentence : `${sentence} (${times} times)`,
  );
  return { scenario: { ...head, steps }, leftOut };
}

/** Returns whether the entry became a step. An omitted entry causes no messages in the scenario. */
function addEntry(entry: RecordedEntry, builder: StoryBuilder, isInSlice: boolean): boolean {
  try {
    if (entry.kind === "request") addRequest(entry, builder, isInSlice);
    else if (entry.kind === "act") addAct(entry, builder, isInSlice);
    else if (entry.kind === "world") addOverride(entry, builder);
    else addClockMove(entry, builder, isInSlice);
    return true;
  } catch (reason) {
    if (!(reason instanceof Inexpressible)) throw reason;
    const subject = entry.kind === "request" ? `${entry.method} ${entry.path}` : entry.kind === "act" ? entry.act : "";
    builder.leaveOut(`Left out: ${subject} ${reason.message}.`);
    return false;
  }
}

/** Merges a trigger with the clock move that it caused into one entry, because the step also moves the clock. */
function mergeMoves(entries: readonly Entry[]): Entry[] {
  const acts = new Map(entries.flatMap((entry) => (entry.kind === "act" ? [[entry.id, entry] as const] : [])));
  const findAct = (entry: Entry) =>
    entry.kind === "clock" && typeof entry.by === "object" ? acts.get(entry.by.id) : undefined;
  const moving = new Set<Entry | undefined>(entries.map(findAct));
  return entries.flatMap((entry) => {
    const act = findAct(entry);
    if (act) return [{ ...act, move: entry as ClockEntry }];
    return moving.has(entry) ? [] : [entry];
  });
}

const listIds = (entry: RecordedEntry): string[] => [
  entry.id,
  ...(entry.kind === "act" && entry.move ? [entry.move.id] : []),
];

/** Yields each entry with the attempts until the next entry. */
function* groupScenes(entries: readonly Entry[]): Iterable<readonly [RecordedEntry, DeliveryEntry[]]> {
  let scene: [RecordedEntry, DeliveryEntry[]] | undefined;
  for (const entry of entries) {
    if (entry.kind === "world" && !isOverride(entry)) continue;
    if (entry.kind === "delivery") scene?.[1].push(entry);
    else {
      if (scene) yield scene;
      scene = [entry, []];
    }
  }
  if (scene) yield scene;
}

function addRequest(entry: RequestEntry, builder: StoryBuilder, isInSlice: boolean): void {
  const members = entry.operation === "createToken" ? createTokenCall(entry, builder) : toCall(entry, builder);
  if (!members) return;
  builder.moveClockTo(entry.at);
  addFaults(entry, builder);
  // Rejections are also expected in the preparation, because a successful call would change later steps.
  const isRefused = entry.status === null || entry.status >= 400;
  const expect = isInSlice || isRefused ? { expect: createExpectation(entry, builder) } : {};
  const base = `${toWords(String(members.call))}${isRefused ? " is refused" : ""}`;
  const name = builder.add(base, { ...members, ...expect });
  if (isRefused) return;
  builder.references.learn(entry.answer?.body ?? null, `${name}.body`);
  if (members.call === "createToken" && entry.client_id !== null) rememberToken(entry.client_id, entry, name, builder);
}

function addAct(entry: ActEntry, builder: StoryBuilder, isInSlice: boolean): void {
  const { act, status, code, result, move } = entry;
  const { kind, input } = readInput(entry, builder);
  builder.moveClockTo(move?.from ?? entry.at);
  addFaults(entry, builder);
  if (move) builder.now = move.to;
  const members = {
    ...(kind === undefined ? { act } : { trigger: kind }),
    ...(Object.keys(input).length === 0 ? {} : { with: builder.references.withReferences(input) }),
  };
  const base = kind === undefined ? toWords(act) : `trigger ${kind.slice(3).replaceAll(/[._]/g, " ")}`;
  if (status === "refused") {
    builder.add(`${base} is refused`, { ...members, expect: { code: code ?? "" } });
    return;
  }
  const matters = isInSlice ? selectExpectation(result, builder.references) : undefined;
  const name = builder.add(base, {
    ...members,
    ...(matters === undefined ? {} : { expect: { result: matters } }),
  });
  builder.references.learn(result, `${name}.result`);
  for (const [index, { id }] of entry.facts.entries()) builder.references.learn(id, `${name}.facts[${index}].id`);
}

/** Reads the input of an act or a trigger. Throws Inexpressible if no step can send it; the sandbox has rejected such an input. */
function readInput({ act, input }: ActEntry, { slice }: StoryBuilder): { kind?: string; input: JsonObject } {
  const sent = toObject(input);
  // A trigger is logged as an act, with its input under `set`.
  if (!act.startsWith("trigger ")) {
    if (!slice.isAct(act)) throw new Inexpressible("is no act of the sandbox");
    return { input: sent };
  }
  const { kind, set, ...more } = sent;
  if (typeof kind !== "string" || !EVENT_KINDS.some((each) => each === kind))
    throw new Inexpressible("names no kind of webhook");
  const [stranger] = Object.keys(more);
  if (stranger !== undefined) throw new Inexpressible(`has ${stranger} beside its kind, which no step has`);
  return { kind, input: toObject(set) };
}

function toObject(input: Json | undefined): JsonObject {
  if (input === null || input === undefined) return {};
  if (typeof input !== "object" || Array.isArray(input)) throw new Inexpressible("has an input that is no object");
  return input;
}

function addClockMove(entry: ClockEntry, builder: StoryBuilder, isInSlice: boolean): void {
  const { to, receipt } = entry;
  if (Date.parse(to) <= Date.parse(builder.now)) return;
  addFaults(entry, builder);
  // Webhook steps expect deliveries, so receipts need not.
  const lines = receipt.filter(({ what }) => what !== "deliveryAttempted");
  const expect = isInSlice && lines.length > 0 ? { expect: { receipt: expectReceipt(lines, builder.references) } } : {};
  const name = builder.addMove(to, expect);
  // Later steps may refer to ids of the facts.
  for (const [index, { facts }] of receipt.entries())
    for (const [at, { id }] of facts.entries())
      builder.references.learn(id, `${name}.receipt[${index}].facts[${at}].id`);
}

/** The limit keeps the expectation of a step short. */
const MAX_RECEIPT_LINES = 6;

function expectReceipt(lines: ClockEntry["receipt"], references: ReferenceTable): Json {
  return lines.slice(0, MAX_RECEIPT_LINES).map(({ what, id }) => {
    const known = references.resolve(id);
    return known === undefined ? { what } : { what, id: known };
  });
}

/** Adds a step that overrides assumptions. */
function addOverride({ at, detail }: WorldEntry, builder: StoryBuilder): void {
  builder.moveClockTo(at);
  const set = detail.set as JsonObject;
  builder.add(`assume ${Object.keys(set).join(", ")}`, { assume: { ...set } });
}
