// A scenario from a stretch of a world's log: calls, acts, moves of the clock and injected faults in the order in which they happened, with
// the webhooks that they caused. What changed the world before the stretch comes first, without expectations.

import type { JsonObject } from "../../platform/json.ts";
import { callOf, expectationOf } from "./calls.ts";
import { catchUp, tellClock } from "./clock.ts";
import { mattersOf } from "./expectations.ts";
import { withGiven } from "./given.ts";
import { Inexpressible } from "./inexpressible.ts";
import { tellReceiver } from "./receiver.ts";
import { standing } from "./standing.ts";
import {
  type ActEntry,
  type ClockEntry,
  type DeliveryEntry,
  type Entry,
  type FlipEntry,
  isFlip,
  type LogSlice,
  type RecordedStep,
  type Recording,
  type RequestEntry,
} from "./stretch.ts";
import { inWords, Teller } from "./teller.ts";
import { tokenCallOf } from "./tokens.ts";
import { tellMessages } from "./webhooks.ts";

type RecordedEntry = RequestEntry | ActEntry | ClockEntry | FlipEntry;

/** Pure: the same stretch gives the same scenario. */
export function storyOf(stretch: LogSlice): Recording {
  const teller = new Teller(stretch);
  const { from = 0, to = Number.POSITIVE_INFINITY, only } = stretch;
  const { entries, undone } = standing(stretch.entries, to, stretch.spans);
  if (undone > 0)
    teller.leaveOut(
      `A rewind took back ${undone} ${undone === 1 ? "entry" : "entries"} of the log; the story goes on without.`,
    );
  const assumed = { ...stretch.beginning.assume };
  for (const [entry, attempts] of scenesOf(entries)) {
    // What was assumed before anything happened belongs to the beginning.
    if (isFlip(entry) && teller.steps.length === 0) {
      Object.assign(assumed, entry.detail.set);
      continue;
    }
    const isInSlice = entry.seq >= from && (only === undefined || only.has(entry.id));
    // Before the story only what changes the world matters.
    if (!isInSlice && !hasChanged(entry)) continue;
    // Before what causes the attempts, or the receiver would answer as before.
    tellReceiver(attempts, teller);
    if (tell(entry, teller, isInSlice) && entry.kind !== "world")
      tellMessages(messagesOf(entry, stretch), teller, isInSlice);
  }
  const { title, beginning } = stretch;
  const { given, steps } = withGiven(repeated(teller.steps));
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
  const leftOut = [...teller.leftOut].map(([sentence, times]) =>
    times === 1 ? sentence : `${sentence} (${times} times)`,
  );
  return { scenario: { ...head, steps }, leftOut };
}

/** A move of the clock that a rewind has cut short sent only what was sent until then. */
function messagesOf(entry: Exclude<RecordedEntry, FlipEntry>, { messages }: LogSlice): readonly string[] {
  if (entry.kind !== "clock") return entry.messages;
  return entry.messages.filter((id) => (messages.get(id)?.at ?? "") <= entry.to);
}

/** Whether it is in the story: what is left out causes nothing there. */
function tell(entry: RecordedEntry, teller: Teller, isInSlice: boolean): boolean {
  try {
    if (entry.kind === "request") tellRequest(entry, teller, isInSlice);
    else if (entry.kind === "act") tellAct(entry, teller, isInSlice);
    else if (entry.kind === "world") tellFlip(entry, teller);
    else tellClock(entry, teller, isInSlice);
    return true;
  } catch (reason) {
    if (!(reason instanceof Inexpressible)) throw reason;
    const subject = entry.kind === "request" ? `${entry.method} ${entry.path}` : entry.kind === "act" ? entry.act : "";
    teller.leaveOut(`Left out: ${subject} ${reason.message}.`);
    return false;
  }
}

/** Each entry with the attempts that were made until the next one. */
function* scenesOf(entries: readonly Entry[]): Iterable<readonly [RecordedEntry, DeliveryEntry[]]> {
  let scene: [RecordedEntry, DeliveryEntry[]] | undefined;
  for (const entry of entries) {
    if (entry.kind === "world" && !isFlip(entry)) continue;
    if (entry.kind === "delivery") scene?.[1].push(entry);
    else {
      if (scene) yield scene;
      scene = [entry, []];
    }
  }
  if (scene) yield scene;
}

function hasChanged(entry: RecordedEntry): boolean {
  return (
    entry.kind === "clock" ||
    entry.kind === "world" ||
    (entry.facts.length > 0 && !entry.facts.every(({ fact }) => fact === "token.issued"))
  );
}

function tellRequest(entry: RequestEntry, teller: Teller, isInSlice: boolean): void {
  const members = entry.operation === "createToken" ? tokenCallOf(entry, teller) : callOf(entry, teller);
  if (!members) return;
  catchUp(entry.at, teller);
  tellFaults(entry, teller);
  // A refusal is expected also in the preparation: a call that works there would change the rest.
  const isRefused = entry.status === null || entry.status >= 400;
  const expect = isInSlice || isRefused ? { expect: expectationOf(entry, teller) } : {};
  const base = `${inWords(String(members.call))}${isRefused ? " is refused" : ""}`;
  const name = teller.add(base, { ...members, ...expect });
  if (isRefused) return;
  teller.memory.learn(entry.answer?.body ?? null, `${name}.body`);
  if (members.call === "createToken" && entry.client_id !== null) remember(entry, name, teller);
}

function remember({ client_id, answer }: RequestEntry, step: string, teller: Teller): void {
  const { scope } = (answer?.body ?? {}) as JsonObject;
  teller.tokens.push({ client_id: client_id ?? "", scope: String(scope ?? ""), step });
}

function tellAct(entry: ActEntry, teller: Teller, isInSlice: boolean): void {
  const { act, status, code, result } = entry;
  const [, kind] = /^trigger (.+)$/.exec(act) ?? [];
  catchUp(entry.at, teller);
  // A trigger is logged as an act, with its input under `set`.
  const input = kind === undefined ? entry.input : ((entry.input ?? {}) as JsonObject).set;
  const written = teller.memory.written(input ?? {});
  const isEmpty = typeof written !== "object" || written === null || Object.keys(written).length === 0;
  const members = { ...(kind === undefined ? { act } : { trigger: kind }), ...(isEmpty ? {} : { with: written }) };
  const base = kind === undefined ? inWords(act) : `trigger ${kind.slice(3).replaceAll(/[._]/g, " ")}`;
  if (status === "refused") {
    teller.add(`${base} is refused`, { ...members, expect: { code: code ?? "" } });
    return;
  }
  const matters = isInSlice ? mattersOf(result, teller.memory) : undefined;
  const name = teller.add(base, {
    ...members,
    ...(matters === undefined ? {} : { expect: { result: matters } }),
  });
  teller.memory.learn(result, `${name}.result`);
  for (const [index, { id }] of entry.facts.entries()) teller.memory.learn(id, `${name}.facts[${index}].id`);
}

/** Another answer to an open question, from there on. */
function tellFlip({ at, detail }: FlipEntry, teller: Teller): void {
  catchUp(at, teller);
  const set = detail.set as JsonObject;
  teller.add(`assume ${Object.keys(set).join(", ")}`, { assume: { ...set } });
}

/** The faults that hit a request, as a step that arms them before it: each hits the next request once, whoever sends it. */
function tellFaults({ faults, operation }: RequestEntry, teller: Teller): void {
  const armed = faults.flatMap(({ fault }) =>
    fault && changesSomething(fault) ? [teller.memory.written(once(fault))] : [],
  );
  const [first, second] = armed;
  if (first) teller.add(`a fault of ${inWords(operation ?? "")}`, { fault: second ? armed : first });
}

/** An answer that was only late is the same answer. */
const changesSomething = ({ delay_ms, status, connection }: JsonObject): boolean =>
  delay_ms === undefined || status !== undefined || connection !== undefined;

function once({ name: _, skip: __, share: ___, seed: ____, client_id: _____, ...fault }: JsonObject): JsonObject {
  return { ...fault, times: 1 };
}

// The same step many times in a row, as one that is repeated.

const FEWEST = 3;
const MOST = 1000;

function repeated(steps: readonly RecordedStep[]): RecordedStep[] {
  const named = JSON.stringify(steps);
  const isReferred = ({ name }: RecordedStep) => named.includes(`\${${JSON.stringify(name).slice(1, -1)}.`);
  const recorded: RecordedStep[] = [];
  for (let next = 0; next < steps.length; ) {
    const step = steps[next] as RecordedStep;
    const end = steps.findIndex((each, index) => index > next && (shape(each) !== shape(step) || index - next >= MOST));
    const run = steps.slice(next, end < 0 ? undefined : end);
    next += run.length;
    // A step that a later one refers to has to keep its name.
    const isRun = run.length >= FEWEST && step.call !== undefined && !run.some(isReferred);
    recorded.push(...(isRun ? [asOne(step, run.length)] : run));
  }
  return recorded;
}

const shape = ({ name: _, ...members }: RecordedStep): string => JSON.stringify(members);

function asOne({ name, expect, ...members }: RecordedStep, times: number): RecordedStep {
  const { status } = expect as JsonObject;
  return { name, ...members, repeat: { times }, expect: { statuses: { [String(status)]: times } } };
}
