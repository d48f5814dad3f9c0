// What a failed test's world has seen: the requests that were refused, each with what stood against it and the smallest change that
// works, and the messages that were not delivered.

import { reasonLines } from "../../client/why-lines.ts";
import type { JournalRequest, Message, Why, World } from "../../index.ts";
import { count } from "../../platform/count.ts";

const MOST = 20;
/** Each is tried again on a copy of the world. */
const MOST_EXPLAINED = 5;

/** A world that can't be asked any more is no reason to hide why the test failed. */
export async function storyOf(world: World, test: string): Promise<string> {
  const head = `\nWhat happened in the world of “${test}”:`;
  try {
    const [requests, messages] = await Promise.all([world.requests({ limit: 1000 }), world.webhooks.all()]);
    const refused = requests.filter(({ status }) => status === null || status >= 400);
    const waiting = messages.flatMap(undelivered);
    const reasons = await Promise.all(refused.slice(-MOST_EXPLAINED).map((request) => lineOf(world, request)));
    const named = [...refused.slice(0, -MOST_EXPLAINED).map(requestLine), ...reasons];
    const lines = [...newest("refused requests", named), ...newest("messages", waiting)];
    const nothing = `  Requests: ${requests.length}, none refused. Messages: ${messages.length}, none waiting for its receiver.`;
    return [head, ...(lines.length > 0 ? lines : [nothing])].join("\n").concat("\n");
  } catch (reason) {
    return `${head}\n  it can't be read: ${reason instanceof Error ? reason.message : String(reason)}\n`;
  }
}

function newest(what: string, lines: readonly string[]): string[] {
  const left = lines.length - MOST;
  return [...(left > 0 ? [`  (${left} earlier ${what} are left out)`] : []), ...lines.slice(-MOST)];
}

/** The line of a refused request, the check that it failed, and what would work. */
async function lineOf(world: World, request: JournalRequest): Promise<string> {
  const { refusal } = await world.why(request.id).catch((): Partial<Why> => ({}));
  const reason = refusal ? reasonLines(refusal) : [];
  return [requestLine(request), ...reason.map((line) => `      ${line}`)].join("\n");
}

function requestLine({ method, path, status, answer }: JournalRequest): string {
  const { code, message, error, error_description } = (answer?.body ?? {}) as Record<string, unknown>;
  const reason = [code ?? error, message ?? error_description].filter((part) => typeof part === "string").join(": ");
  return `  ${method} ${path} → ${status ?? "no response"}${reason ? ` ${reason}` : ""}`;
}

function undelivered({ kind, deliveries }: Message): string[] {
  return deliveries
    .filter(({ state }) => state !== "DELIVERED")
    .map(({ url, state, attempts }) => {
      const last = attempts.at(-1);
      const reason = last?.error ?? (last?.answer ? `the receiver answered ${last.answer.status}` : "");
      const times = count(attempts.length, "attempt");
      return `  ${kind} to ${url} → ${state}, ${times}${reason ? `: ${reason}` : ""}`;
    });
}
