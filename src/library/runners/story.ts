// Formats the report of a failed test: the rejected requests of its world, each with the failed check and the smallest change that works,
// and the undelivered messages.
import { summarizeRejection } from "../../client/why-lines.ts";
import type { JournalRequest, Message, Why, World } from "../../index.ts";
import { count } from "../../platform/count.ts";

const MAX_LINES = 20;
/** The sandbox explains a request by retrying it on copies of the world, so only a few are explained. */
const MAX_EXPLAINED = 5;

/** Formats the report. Never rejects, because an error here must not hide why the test failed. */
export async function describeWorld(world: World, test: string): Promise<string> {
  const head = `\nWhat happened in the world of “${test}”:`;
  try {
    const [requests, messages] = await Promise.all([world.requests({ limit: 1000 }), world.webhooks.all()]);
    const rejected = requests.filter(({ status }) => status === null || status >= 400);
    const waiting = messages.flatMap(listUndelivered);
    const reasons = await Promise.all(rejected.slice(-MAX_EXPLAINED).map((request) => explainRequest(world, request)));
    const named = [...rejected.slice(0, -MAX_EXPLAINED).map(formatRequest), ...reasons];
    const lines = [...takeNewest("rejected requests", named), ...takeNewest("messages", waiting)];
    const nothing = `  Requests: ${requests.length}, none rejected. Messages: ${messages.length}, none waiting for its receiver.`;
    return [head, ...(lines.length > 0 ? lines : [nothing])].join("\n").concat("\n");
  } catch (reason) {
    return `${head}\n  The world can't be read: ${reason instanceof Error ? reason.message : String(reason)}\n`;
  }
}

function takeNewest(what: string, lines: readonly string[]): string[] {
  const left = lines.length - MAX_LINES;
  return [...(left > 0 ? [`  (${left} earlier ${what} are left out)`] : []), ...lines.slice(-MAX_LINES)];
}

/** Returns the rejected request, its failed check, and the change that would work. */
async function explainRequest(world: World, request: JournalRequest): Promise<string> {
  const { refusal } = await world.why(request.id).catch((): Partial<Why> => ({}));
  const reason = refusal ? summarizeRejection(refusal) : [];
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
      const reason = last?.error ?? (last?.answer ? `the receiver responded with ${last.answer.status}` : "");
      const times = count(attempts.length, "attempt");
      return `  ${kind} to ${url} → ${state}, ${times}${reason ? `: ${reason}` : ""}`;
    });
}
