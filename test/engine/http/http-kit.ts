// What the tests of the transport share: requests written by hand, byte for byte, and requests with everything given.
import { connect } from "node:net";
import { anna, type TestSandbox, type TestWorld } from "../../sandbox.ts";

/** A booking that is valid by the specification, of an event that the empty fixture lacks. */
export const booking = {
  event_id: "e",
  customer: anna,
  locale: "da",
  items: [{ type_id: "a", item_type: "VARIANT", quantity: 1 }],
};

export interface ReceivedAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
}

export interface Sent {
  method?: string;
  token?: string | null;
  headers?: Record<string, string>;
  body?: string | Uint8Array | object;
}

/** Bytes over a connection of their own; resolves with the answer, or with status 0 when the connection ended without one. */
export function raw(url: string, bytes: string | Uint8Array): Promise<ReceivedAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const end = () => {
      socket.destroy();
      resolve(readAnswer(Buffer.concat(chunks).toString("latin1")));
    };
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", end).on("close", end);
  });
}

/** One request line and headers; the connection is closed after the answer. */
export function rawRequest(
  url: string,
  line: string,
  headers: Record<string, string> = {},
  body = "",
): Promise<ReceivedAnswer> {
  const all = { host: new URL(url).host, connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return raw(url, `${line} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

function readAnswer(text: string): ReceivedAnswer {
  const mark = text.indexOf("\r\n\r\n");
  const [line = "", ...rows] = text.slice(0, Math.max(mark, 0)).split("\r\n");
  const headers = Object.fromEntries(
    rows.map((row) => [row.slice(0, row.indexOf(":")).toLowerCase(), row.slice(row.indexOf(":") + 2)]),
  );
  const rest = mark < 0 ? "" : Buffer.from(text.slice(mark + 4), "latin1").toString("utf8");
  return { status: Number(line.split(" ")[1] ?? 0), headers, text: rest, body: parsed(rest) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A request as `fetch` sends it; objects go as JSON. */
export async function send(
  sandbox: TestSandbox,
  path: string,
  { method, token, headers = {}, body }: Sent = {},
): Promise<ReceivedAnswer> {
  const isPlain = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const answer = await fetch(`${sandbox.url}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(isPlain ? {} : { "content-type": "application/json" }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isPlain ? (body as string) : JSON.stringify(body) }),
    redirect: "manual",
  });
  const text = await answer.text();
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text, body: parsed(text) };
}

export interface Violation {
  location: string[];
  code: string;
  message: string;
  severity: string;
}

export function violationsOf({ headers }: { headers: Record<string, string> }): Violation[] {
  return JSON.parse(headers["sandbox-violations"] ?? "null");
}

/** Everything that a refused request must leave as it is: the world without its tokens. */
export async function stateOf(world: TestWorld): Promise<string> {
  const { body } = await world.control("get", "state");
  return JSON.stringify(body, (name, value) => (name === "tokens" ? undefined : value));
}

export function form(members: Record<string, string> | [string, string][]): string {
  return new URLSearchParams(members).toString();
}

export const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** An id for every parameter of every path; nobody has it. */
export const someIds = Object.fromEntries(
  [
    "booking",
    "experience",
    "event",
    "order",
    "giftCard",
    "location",
    "consent",
    "journalEntry",
    "subscription",
    "availability",
  ].map((kind) => [`${kind}Id`, "x"]),
);
