// Which sandbox answers at an address that nobody has given, and whether it knows a token. It is asked with a fresh challenge and nothing
// else: no token, no world, no cookie travels before it has answered.
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { proofKey, tokenProof } from "../platform/token-proof.ts";
import { unbracketed } from "../platform/unbracketed.ts";

export interface ServerAt {
  instance: string;
  knows(token: string): Promise<boolean>;
}

/** Long enough for a busy sandbox; one that is gone refuses at once. */
const ANSWER_MS = 5000;
const LONGEST_ANSWER = 4096;

/**
 * Null: what answers is no sandbox. Undefined: nobody answers. The challenge is fresh each time, so an old proof is
 * worth nothing.
 */
export async function serverAt(address: string): Promise<ServerAt | null | undefined> {
  const challenge = { address: new URL(address).origin, challenge: randomBytes(32).toString("base64url") };
  const answer = await posted(`${address}/_sandbox/proof`, JSON.stringify(challenge)).catch(() => undefined);
  if (answer === undefined) return undefined;
  const { instance, proof } = await membersOf(answer);
  if (typeof instance !== "string") return null;
  // Two programs can share a name: one listens at each of the addresses behind it.
  const isOne = isIP(unbracketed(new URL(address).hostname)) !== 0;
  return {
    instance,
    knows: async (token) =>
      isOne && isSame(String(proof), tokenProof(await proofKey(token, instance), challenge, instance)),
  };
}

/** Without `fetch`: a second sandbox in a folder asks the first one, and would take 6 MB more for it. */
async function posted(address: string, body: string): Promise<IncomingMessage> {
  const { request } = await import(address.startsWith("https:") ? "node:https" : "node:http");
  const headers = { "content-type": "application/json" };
  const options = { method: "POST", headers, signal: AbortSignal.timeout(ANSWER_MS), agent: false };
  return new Promise((resolve, reject) => {
    request(address, options).on("response", resolve).on("error", reject).end(body);
  });
}

async function membersOf(answer: IncomingMessage): Promise<{ instance?: unknown; proof?: unknown }> {
  try {
    const found: unknown = answer.statusCode === 200 ? JSON.parse(await textOf(answer)) : undefined;
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {};
  } finally {
    answer.destroy();
  }
}

async function textOf(body: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    // Whoever answers is a stranger, and may send for ever.
    if (length > LONGEST_ANSWER) throw new Error("the answer is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function isSame(sent: string, expected: string): boolean {
  // In constant time, and only for equal lengths, which timingSafeEqual demands.
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
