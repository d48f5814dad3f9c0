// The only file of the player that asks the sandbox anything: its control surface, and the service as an integrator would.
import { type IncomingMessage, request } from "node:http";
import { request as secureRequest } from "node:https";
import type { Json, JsonObject, Target } from "./scenario.ts";

export interface Came {
  /** Null when the connection broke. */
  status: number | null;
  headers: Record<string, string>;
  body: Json;
  /** Why there is no answer. */
  error?: string;
}

export interface Asked {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string | undefined;
}

/** The sandbox can't be used for playing: it does not answer, or not as one. */
export class SandboxFault extends Error {}

export async function ask({ method, url, headers, body }: Asked): Promise<Came> {
  try {
    const { response, text } = await send({ method, url, headers: headers ?? {}, body });
    const came = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    return { status: response.statusCode ?? 0, headers: Object.fromEntries(came), body: parsed(text) };
  } catch (reason) {
    return { status: null, headers: {}, body: null, error: lossOf(reason) };
  }
}

/** Not fetch, which would add headers that a story may want to leave out, Accept-Language among them. */
function send({ method, url, headers, body }: Asked): Promise<{ response: IncomingMessage; text: string }> {
  return new Promise((resolve, reject) => {
    const open = url.startsWith("https:") ? secureRequest : request;
    const sized = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const asking = open(url, { method, headers: { ...headers, ...sized } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve({ response, text: Buffer.concat(chunks).toString("utf8") }));
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

/** One word for a connection that broke, the same in every run. */
function lossOf(reason: unknown): string {
  const { code } = reason as { code?: string };
  return code === "ECONNREFUSED" || code === "ENOTFOUND" ? "nothing listens there" : "the connection broke";
}

function parsed(text: string): Json {
  if (text === "") return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Asks the control surface, in a world when one is named. */
export type Control = (method: string, path: string, body?: Json, world?: string) => Promise<Came>;

export function controlOf(target: Target): Control {
  return (method, path, body, world) =>
    ask({
      method,
      url: `${target.controlUrl}${path}`,
      headers: {
        ...(target.controlToken ? { authorization: `Bearer ${target.controlToken}` } : {}),
        ...(world ? { "sandbox-world": world } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
}

/** The body of an answer that has to be good; otherwise the sandbox is no use for playing. */
export async function must(answer: Promise<Came>, what: string): Promise<JsonObject> {
  const { status, body, error } = await answer;
  if (status !== null && status < 300) return (body ?? {}) as JsonObject;
  const said = (body as { message?: string } | null)?.message ?? error ?? "nothing";
  if (status === null)
    throw new SandboxFault(`${what} does not answer: ${said}. Start one with \`sandbox start\`, or name its address.`);
  throw new SandboxFault(`${what} was answered with ${status}: ${said}`);
}
