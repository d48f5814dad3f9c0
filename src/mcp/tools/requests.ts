// requests: what came to the API in this world and what was answered, newest first; or the webhook messages that were sent.
import type { Schemas } from "../../client/control.ts";
import { NOBODY } from "../../client/why-story.ts";
import { optional } from "../../platform/optional.ts";
import { type Block, data } from "../answer.ts";
import { callOf, defineTool, Refusal, type Session } from "../tool.ts";

type Kind = Schemas["Kind"];

export const requests = defineTool({
  name: "requests",
  title: "See the requests that came",
  description:
    "The requests to the API in this world, newest first, with status and code; or the webhook messages with their deliveries (`of: messages`). Can wait for them.",
  takes: {
    of: { default: "requests", type: "string", enum: ["requests", "messages"] },
    status: { description: "404, or 4xx for all of them.", type: "string", pattern: "^[1-5](\\d\\d|xx)$" },
    operation: { description: "Only this operation, such as createBooking.", type: "string", maxLength: 100 },
    kind: { description: "Only messages of this kind, such as v1.booking.created.", type: "string", maxLength: 100 },
    since: { description: "After the request with this id, or from this instant on.", type: "string", maxLength: 100 },
    limit: { default: 20, type: "integer", minimum: 1, maximum: 1000 },
    wait_for: {
      description: "Answer once so many are there, or the time is up.",
      type: "integer",
      minimum: 1,
      maximum: 1000,
    },
    timeout: { default: 10, description: "How long to wait, in seconds.", type: "number", minimum: 0, maximum: 30 },
  },
  example: { status: "4xx" },
  async run(args, session) {
    const waited = args.wait_for === undefined ? {} : { wait_for: args.wait_for, timeout: args.timeout * 1000 };
    return args.of === "requests" ? logged(args, waited, session) : sent(args, waited, session);
  },
});

interface Asked {
  status?: string | undefined;
  operation?: string | undefined;
  kind?: string | undefined;
  since?: string | undefined;
  limit: number;
}

async function logged(
  { status, operation, kind, since, limit }: Asked,
  waited: object,
  { ask }: Session,
): Promise<readonly Block[]> {
  if (kind !== undefined)
    throw new Refusal("`kind` goes with messages.", [callOf("requests", { of: "messages", kind })]);
  const query = optional({ status: status?.toLowerCase(), operation, since, limit, ...waited });
  const { items } = await ask((control) => control.GET("/_sandbox/requests", { params: { query } }));
  if (items.length === 0) return ["No such request yet."];
  const rows = items.toReversed().map((item) => ({
    id: item.id,
    at: item.at,
    request: `${item.method} ${item.path}`,
    operation: item.operation,
    status: item.status,
    code: (item.answer?.body as { code?: unknown } | null | undefined)?.code,
    ...(item.messages.length > 0 ? { messages: item.messages } : {}),
  }));
  return [`${count(rows.length, "request")}, newest first:`, data(rows), `One of them: ${explained(rows[0]?.id)}`];
}

async function sent(asked: Asked, waited: object, { ask }: Session): Promise<readonly Block[]> {
  const { kind, limit } = asked;
  for (const name of ["status", "operation", "since"] as const)
    if (asked[name] !== undefined) throw new Refusal(`\`${name}\` goes with requests.`, [callOf("requests", {})]);
  const query = optional({ kind: kind as Kind | undefined, limit, ...waited });
  const { items } = await ask((control) => control.GET("/_sandbox/messages", { params: { query } }));
  if (items.length === 0) return ["No such message yet."];
  const rows = items.toReversed().map(({ id, kind: type, created_at, caused_by, deliveries }) => ({
    id,
    kind: type,
    created_at,
    caused_by,
    deliveries: deliveries.map(({ url, state, attempts }) => ({ url, state, attempts: attempts.length })),
  }));
  const silent = rows.every(({ deliveries }) => deliveries.length === 0) ? [WENT_NOWHERE] : [];
  return [
    `${count(rows.length, "message")}, newest first:`,
    data(rows),
    ...silent,
    `One of them: ${explained(rows[0]?.id)}`,
  ];
}

const WENT_NOWHERE = `These went nowhere, since ${NOBODY}: ${callOf("read_operation", { operation_id: "createWebhookSubscription" })}`;

const explained = (id = ""): string => callOf("why", { id });
const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? "" : "s"}`;
