// Which sandbox answers at an address that nobody has given, and whether it knows a token. It is asked with a fresh challenge and nothing
// else: no token, no world, no cookie travels before it has answered.
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { createClientRequest } from "../platform/send-request.ts";
import { getProofKey, proveToken } from "../platform/token-proof.ts";
import { unwrapHost } from "../platform/unbracketed.ts";

export interface IdentifiedServer {
  instance: string;
  knows(token: string): Promise<boolean>;
}

/** Why no sandbox was found at an address. */
export type NoServer =
  /** Nothing accepts connections there, or the connection was lost. */
  | "closed"
  /** No response within the limit. */
  | "silent"
  /** Another program responds. */
  | "stranger";

/** How long a command waits for a busy sandbox. An address where nothing listens is known at once. */
export const MAX_WAIT_MS = 10_000;
const MAX_RESPONSE_LENGTH = 4096;

/** Asks who listens at an address. The challenge is fresh each time, so an old proof is worth nothing. */
export async function identifyServer(address: string, limitMs = MAX_WAIT_MS): Promise<IdentifiedServer | NoServer> {
  const challenge = { address: new URL(address).origin, challenge: randomBytes(32).toString("base64url") };
  const signal = AbortSignal.timeout(limitMs);
  const response = await sendChallenge(address, challenge, signal).catch((error: NodeJS.ErrnoException) => error);
  const { instance, proof } = response instanceof Error ? {} : await readMembers(response);
  if (signal.aborted) return "silent";
  // A parse error means that what responds does not speak HTTP.
  if (response instanceof Error && !response.message.startsWith("Parse Error")) return "closed";
  if (typeof instance !== "string") return "stranger";
  // Two programs can share a name: one listens at each of the addresses behind it.
  const isOne = isIP(unwrapHost(new URL(address).hostname)) !== 0;
  return {
    instance,
    knows: async (token) =>
      isOne && isSame(String(proof), proveToken(await getProofKey(token, instance), challenge, instance)),
  };
}

/** Without `fetch`: a second sandbox in a folder asks the first one, and would take 6 MB more for it. */
async function sendChallenge(address: string, challenge: object, signal: AbortSignal): Promise<IncomingMessage> {
  const options = { method: "POST", headers: { "content-type": "application/json" }, signal };
  return new Promise((resolve, reject) => {
    createClientRequest(new URL(`${address}/_sandbox/proof`), options)
      .on("response", resolve)
      .on("error", reject)
      .end(JSON.stringify(challenge));
  });
}

async function readMembers(response: IncomingMessage): Promise<{ instance?: unknown; proof?: unknown }> {
  try {
    const members: unknown = response.statusCode === 200 ? JSON.parse(await readText(response)) : undefined;
    return typeof members === "object" && members !== null ? members : {};
  } catch {
    return {};
  } finally {
    response.destroy();
  }
}

async function readText(body: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    // The program that responds is unknown, and may send without end.
    if (length > MAX_RESPONSE_LENGTH) throw new Error("the response is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function isSame(sent: string, expected: string): boolean {
  // In constant time, and only for equal lengths, which timingSafeEqual demands.
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
