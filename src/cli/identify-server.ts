// Identifies the sandbox at an address that the user did not name, and checks whether it knows a token. The request contains a fresh
// challenge and nothing else: no token, world or cookie is sent before the sandbox has responded.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { isObject } from "../platform/json.ts";
import { sendRequest } from "../platform/send-request.ts";
import { getProofKey, proveToken } from "../platform/token-proof.ts";
import { unwrapHost } from "../platform/unbracketed.ts";

export interface IdentifiedServer {
  instance: string;
  knows(token: string): Promise<boolean>;
}

/** Why no sandbox was found at an address. */
export type NoServer =
  /** No program accepts connections there, or the connection was lost. */
  | "closed"
  /** No response within the limit. */
  | "silent"
  /** Another program responds. */
  | "stranger";

/** The time that a command waits for a busy sandbox. An address without a listener fails immediately. */
export const MAX_WAIT_MS = 10_000;
const MAX_RESPONSE_LENGTH = 4096;

/** Sends a challenge to an address. The challenge is fresh each time, so an old proof is useless. */
export async function identifyServer(address: string, limitMs = MAX_WAIT_MS): Promise<IdentifiedServer | NoServer> {
  const challenge = { address: new URL(address).origin, challenge: randomBytes(32).toString("base64url") };
  const signal = AbortSignal.timeout(limitMs);
  const response = await sendRequest(`${address}/_sandbox/proof`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(challenge),
    redirect: "manual",
    signal,
  }).catch((error: Error) => error);
  const { instance, proof } = response instanceof Error ? {} : await readMembers(response);
  if (signal.aborted) return "silent";
  // A parse error means that the program there does not speak HTTP.
  if (response instanceof Error && !/^Parse Error/.test((response.cause as Error | undefined)?.message ?? ""))
    return "closed";
  if (typeof instance !== "string") return "stranger";
  // A host name may resolve to two addresses with a program each, so only an IP address proves anything.
  const isOne = isIP(unwrapHost(new URL(address).hostname)) !== 0;
  return {
    instance,
    knows: async (token) =>
      isOne && isSame(String(proof), proveToken(await getProofKey(token, instance), challenge, instance)),
  };
}

async function readMembers({ status, body }: Response): Promise<{ instance?: unknown; proof?: unknown }> {
  try {
    // The body is always read, because an unread one would keep its connection open.
    const text = await readText(body ?? []);
    const members: unknown = status === 200 ? JSON.parse(text) : undefined;
    return isObject(members) ? members : {};
  } catch {
    return {};
  }
}

async function readText(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    // The program is unknown, and its response may be endless.
    if (length > MAX_RESPONSE_LENGTH) throw new Error("the response is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function isSame(sent: string, expected: string): boolean {
  // The comparison takes constant time. timingSafeEqual requires equal lengths.
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
