// What a failed test's world has seen: the requests that were refused, each with what stood against it and the smallest change that
// works, and the messages that were not delivered.

import { formatReason } from "../../client/why-lines.ts";
import type { JournalRequest, Message, Why, World } from "../../index.ts";
import { count } from "../../platform/count.ts";

const MAX_LINES = 20;
/** Each is tried again on a copy of the world. */
const MAX_EXPLAINED = 5;

/** A world that can't be asked any more is no reason to hide why the test failed. */
export async function describeWorld(world: World, test: string): Promise<string> {
  const head = `\nWhat happened in the world of “${test}”:`;
  try {
    const [requests, messages] = await Promise.all([world.requests({ limit: 1000 }), world.webhooks.all()]);
    const refused = requests.filter(({ status }) => status === null || status >= 400);
    const waiting = messages.flatMap(listUndelivered);
    const reasons = await Promise.all(refused.slice(-MAX_EXPLAINED).map((request) => explainRequest(world, request)));
    const named = [...refused.slice(0, -MAX_EXPLAINED).map(formatRequest), ...reasons];
    const lines = [...takeNewest("refused requests", named), ...takeNewest("messages", waiting)];
    const nothing = `  Requests: ${requests.length}, none refused. Messages: ${messages.length}, none waiting for its receiver.`;
    return [head, ...(lines.length > 0 ? lines : [nothing])].join("\n").concat("\n");
  } catch (reason) {
    return `${head}\n  it can't be read: ${reason instanceof Error ? reason.message : String(reason)}\n`;
  }
}

function takeNewest(what: string, lines: readonly string[]): string[] {
  const left = lines.length - MAX_LINES;
  return [...(left > 0 ? [`  (${left} earlier ${what} are left out)`] : []), ...lines.slice(-MAX_LINES)];
}

/** The line of a refused request, the check that it failed, and what would work. */
async function explainRequest(world: World, request: JournalRequest): Promise<string> {
  const { refusal } = await world.why(request.id).catch((): Partial<Why> => ({}));
  const reason = refusal ? formatReason(refusal) : [];
  return [formatRequest(request), ...reason.map((line) => `      ${line}`)].join("\n");
}

function formatRequest({ method, path, status, answer }: JournalRequest): string {
  const { code, message, error, error_description } = (answer?.body ?? {}) as Record<string, unknown>;
  const reason = [code ?? error, message ?? error_description].filter((part) => typeof part === "string").join(": ");
  return `  ${method} ${path} → ${status ?? "no response"}${reason ? ` ${reason}` : ""}`;
}

function listUndelivered({ kind, deliveries }: Message): string[] {
  return deliveries
    .filter(({ state }) => state !== "DELIVERED")
    .map(({ url, state, attempts }) => {
      const last = attempts.at(-1);
      const reason = last?.error ?? (last?.answer ? `the receiver answered ${last.answer.status}` : "");
      const times = count(attempts.length, "attempt");
      return `  ${kind} to ${url} → ${state}, ${times}${reason ? `: ${reason}` : ""}`;
    });
}
