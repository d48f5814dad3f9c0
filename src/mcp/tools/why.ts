// why: one request with the rule that refused it, or one webhook message with what its receivers answered.
import * as z from "zod";
import type { components } from "../../generated/control.ts";
import { SandboxError } from "../../library/remote.ts";
import { type Block, data } from "../answer.ts";
import { callOf, defineTool, Refusal, type Session } from "../tool.ts";

type Logged = components["schemas"]["JournalRequest"];
type Message = components["schemas"]["Message"];

export const why = defineTool({
  name: "why",
  title: "Tell why",
  description:
    "Why a request was answered as it was: status, code, the rule's sentence, each wrong place, what it caused. Also of a webhook message. Without `id`: the latest request that was refused.",
  input: z.strictObject({
    id: z.string().max(100).optional().describe("Of a request (header sandbox-request-id) or of a message."),
  }),
  example: {},
  async run({ id }, session) {
    if (id === undefined) return ofRequest(await latestRefused(session));
    if (!id.startsWith("req-")) return ofMessage(await got<Message>("messages", id, session));
    return ofRequest(await got<Logged>("requests", id, session));
  },
});

async function got<T>(kind: "requests" | "messages", id: string, { sandbox, world }: Session): Promise<T> {
  return sandbox.get<T>(`/_sandbox/${kind}/${encodeURIComponent(id)}`).catch((error) => {
    if (!(error instanceof SandboxError) || error.status !== 404 || /no world/.test(error.message)) throw error;
    const what = kind === "requests" ? "request" : "message";
    const elsewhere = world === "default" ? [] : [callOf("world", { action: "use", id: "default" })];
    throw new Refusal(
      `World ${world} has no ${what} ${JSON.stringify(id)}; the latest are kept, and another world may have it.`,
      [callOf("requests", { of: kind }), ...elsewhere],
      "NOT_FOUND",
    );
  });
}

async function latestRefused({ sandbox, world }: Session): Promise<Logged> {
  const { items } = await sandbox.get<{ items: Logged[] }>("/_sandbox/requests", { limit: 1000 });
  const found = items.findLast(({ status }) => status === null || status >= 400);
  if (found) return found;
  throw new Refusal(
    `In world ${world} no request was refused.`,
    [callOf("requests", {}), callOf("world", { action: "use", id: "default" })],
    "NOT_FOUND",
  );
}

function ofRequest({ id, operation, status, violations, notes, facts, messages, ...rest }: Logged): Block[] {
  const { code, message } = (rest.answer?.body ?? {}) as { code?: unknown; message?: unknown };
  // A code is one of the service's, unless an armed fault said otherwise.
  const named = typeof code === "string" && /^[A-Z][A-Z_]{2,60}$/.test(code) ? ` ${code}` : "";
  const outcome =
    status === null ? "was not answered: an armed fault broke the connection" : `was answered ${status}${named}`;
  const refused = status === null || status >= 400;
  const { method, path, at, client_id, request, answer } = rest;
  return [
    `Request ${id} (${operation ?? "no operation"}) ${outcome}.`,
    data({
      ...(refused && message !== undefined ? { rule: message } : {}),
      ...(violations.length > 0
        ? { violations: violations.map((each) => `${each.location.join(".")}: ${each.message}`) }
        : {}),
      ...(notes.length > 0 ? { notes } : {}),
      ...(facts.length > 0 ? { facts } : {}),
      ...(messages.length > 0 ? { messages } : {}),
      at,
      asked: { method, path, client_id, ...request },
      answer,
    }),
    ...(named && refused ? [`More on it: ${callOf("search_docs", { query: String(code) })}`] : []),
    ...(operation && refused ? [`What it takes: ${callOf("read_operation", { operation_id: operation })}`] : []),
    ...(status === null || status >= 500 ? [`Armed faults: ${callOf("faults", {})}`] : []),
  ];
}

function ofMessage({ id, kind, deliveries, ...rest }: Message): Block[] {
  const states = deliveries.map(({ state }) => state);
  const outcome = states.length === 0 ? "went nowhere, since nobody had subscribed to it" : `is ${states.join(", ")}`;
  return [`Message ${id} (${kind}) ${outcome}.`, data({ deliveries, ...rest })];
}
