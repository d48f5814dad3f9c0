// why: one request with the rule that refused it, or one webhook message with what its receivers answered.
import * as z from "zod";
import type { Schemas } from "../../client/control.ts";
import { SandboxError } from "../../client/sandbox-error.ts";
import { type Block, data } from "../answer.ts";
import { callOf, defineTool, Refusal, type Session } from "../tool.ts";

type Logged = Schemas["JournalRequest"];
type Message = Schemas["Message"];

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
    const orSay = otherwise(id, session);
    const messageId = { params: { path: { messageId: id } } };
    const requestId = { params: { path: { requestId: id } } };
    if (!id.startsWith("req-"))
      return ofMessage(
        await session
          .ask((control) => control.GET("/_sandbox/messages/{messageId}", messageId))
          .catch(orSay("messages")),
      );
    return ofRequest(
      await session.ask((control) => control.GET("/_sandbox/requests/{requestId}", requestId)).catch(orSay("requests")),
    );
  },
});

const otherwise =
  (id: string, { world }: Session) =>
  (kind: "requests" | "messages") =>
  (error: unknown): never => {
    if (!(error instanceof SandboxError) || error.status !== 404 || /no world/.test(error.message)) throw error;
    const what = kind === "requests" ? "request" : "message";
    throw new Refusal(
      `World ${world()} has no ${what} ${JSON.stringify(id)}; the latest are kept, and another world may have it.`,
      [callOf("requests", { of: kind }), ...(world() === "default" ? [] : [ELSEWHERE])],
      "NOT_FOUND",
    );
  };

const ELSEWHERE = callOf("world", { action: "use", id: "default" });

async function latestRefused({ ask, world }: Session): Promise<Logged> {
  const params = { query: { limit: 1000 } };
  const { items } = await ask((control) => control.GET("/_sandbox/requests", { params }));
  const found = items.findLast(({ status }) => status === null || status >= 400);
  if (found) return found;
  throw new Refusal(`In world ${world()} no request was refused.`, [callOf("requests", {}), ELSEWHERE], "NOT_FOUND");
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
