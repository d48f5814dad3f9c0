// A client of a running sandbox: its control surface by HTTP, in one world, with every failure in one sentence.

import { shown } from "../setting-values.ts";
import { Failure, Misuse } from "./fault.ts";
import { type Given, textOf } from "./options.ts";

export interface Client {
  readonly url: string;
  readonly world: string;
  readonly controlToken: string | undefined;
  /** Undefined where the answer has no body. */
  ask<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** The answer itself, for streams and for what may fail; anything but a success is a failure unless `also` says so. */
  open(method: string, path: string, request?: Request): Promise<Response>;
}

interface Request {
  body?: unknown;
  signal?: AbortSignal;
  also?: readonly number[];
}

export function clientOf(given: Given): Client {
  const url = readUrl("--url", textOf(given, "url"));
  const world = textOf(given, "world");
  const controlToken = given.text("control-token");
  const headers = {
    "sandbox-world": encodeURIComponent(world),
    ...(controlToken ? { authorization: `Bearer ${controlToken}` } : {}),
  };

  async function open(method: string, path: string, { body, signal, also = [] }: Request = {}): Promise<Response> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const answer = await reach(`${url}${path}`, {
      method,
      headers: { ...headers, ...type },
      ...sent,
      ...(signal ? { signal } : {}),
    });
    if (answer.ok || also.includes(answer.status)) return answer;
    throw new Failure(await refusalOf(answer, url));
  }

  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await open(method, path, { body });
    const text = await answer.text();
    if (text === "") return undefined as T;
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new Failure(
        `What answers at ${url} is not a sandbox: ${path} is not JSON. Name another address with --url.`,
      );
    }
  }

  return { url, world, controlToken, ask, open };
}

/** An http or https address, without a final slash. */
export function readUrl(label: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== "")
    return text.replace(/(?<!\/)\/+$/, "").replace(/\/_sandbox$/, "");
  throw new Misuse(`${label} is ${shown(text)}, which is not an http address. Write it as http://127.0.0.1:4010.`);
}

/** As `fetch`, but an address where nobody answers is a sentence that says how to go on. */
export async function reach(address: string, request: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new Failure(nobody(new URL(address).origin, error));
  }
}

function nobody(origin: string, error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  if (cause?.message === "bad port")
    return `Port ${new URL(origin).port} is one that Node's fetch refuses. Start the sandbox on another --port.`;
  const reason = cause?.code ?? cause?.message ?? "no answer";
  return `No sandbox answers at ${origin} (${reason}). Start one with \`sandbox start\`, or name its address with --url.`;
}

async function refusalOf(answer: Response, url: string): Promise<string> {
  const text = await answer.text();
  try {
    const { message, error_description } = JSON.parse(text) as { message?: string; error_description?: string };
    return message ?? error_description ?? `${url} answered ${answer.status}: ${shown(text)}`;
  } catch {
    return `What answers at ${url} is not a sandbox: it answered ${answer.status}. Name another address with --url.`;
  }
}
