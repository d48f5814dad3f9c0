// Which sandbox answers at an address that nobody has given, and whether it knows a token. It is asked with a fresh challenge and nothing
// else: no token, no world, no cookie travels before it has answered.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { proofKey, tokenProof } from "../platform/token-proof.ts";

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
  const answer = await fetch(`${address}/_sandbox/proof`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(challenge),
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => undefined);
  if (answer === undefined) return undefined;
  const { instance, proof } = await membersOf(answer);
  if (typeof instance !== "string") return null;
  // Two programs can share a name: one listens at each of the addresses behind it.
  const isOne = isIP(new URL(address).hostname.replace(/^\[|\]$/g, "")) !== 0;
  return {
    instance,
    knows: async (token) =>
      isOne && isSame(String(proof), tokenProof(await proofKey(token, instance), challenge, instance)),
  };
}

async function membersOf(answer: Response): Promise<{ instance?: unknown; proof?: unknown }> {
  try {
    const found: unknown = answer.status === 200 ? JSON.parse(await textOf(answer)) : undefined;
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {};
  }
}

async function textOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
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
