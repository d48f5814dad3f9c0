// Identifies the sandbox at an address that the user did not name, and checks whether it knows a token. The request contains a fresh
// challenge and nothing else: no token, world or cookie is sent before the sandbox has responded.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { isObject, parseJson } from "../platform/json.ts";
import { sendRequest } from "../platform/send-request.ts";
import { getProofKey, proveToken } from "../platform/token-proof.ts";
import { unwrapHost } from "../platform/unbracketed.ts";

export interface IdentifiedServer {
  instance: string;
  knows(token: string): Promise<boolean>;
}

/** Why no sandbox was found at an address: nothing listens, no response within the limit, or another program responds. */
export type NoServer = "closed" | "silent" | "stranger";

/** The time that a command waits for a busy sandbox. An address without a listener fails immediately. */
export const MAX_WAIT_MS = 10_000;
/** The program is unknown, and its response may be endless. */
const MAX_RESPONSE_LENGTH = 4096;

/** Sends a challenge to an address. The challenge is fresh each time, so an old proof is useless. */
export async function identifyServer(address: string, limitMs = MAX_WAIT_MS): Promise<IdentifiedServer | NoServer> {
  const { origin, hostname } = new URL(address);
  const challenge = { address: origin, challenge: randomBytes(32).toString("base64url") };
  const signal = AbortSignal.timeout(limitMs);
  const found = await sendRequest(`${address}/_sandbox/proof`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(challenge),
    redirect: "manual",
    signal,
  }).then(readMembers, (error: Error) => error);
  if (signal.aborted) return "silent";
  // A parse error means that the program there does not speak HTTP.
  if (found instanceof Error && !/^Parse Error/.test((found.cause as Error | undefined)?.message ?? ""))
    return "closed";
  const { instance, proof } = found instanceof Error ? {} : found;
  if (typeof instance !== "string") return "stranger";
  // A host name may resolve to two addresses with a program each, so only an IP address proves anything.
  const isOne = isIP(unwrapHost(hostname)) !== 0;
  return {
    instance,
    async knows(token) {
      const expected = Buffer.from(proveToken(await getProofKey(token, instance), challenge, instance));
      const sent = Buffer.from(String(proof));
      // The comparison takes constant time. timingSafeEqual requires equal lengths.
      return isOne && sent.length === expected.length && timingSafeEqual(sent, expected);
    },
  };
}

/** Returns no members for a lost or unknown response. An unread body would keep its connection open, so it is read or cancelled. */
async function readMembers({ status, body }: Response): Promise<{ instance?: unknown; proof?: unknown }> {
  let text = "";
  try {
    for await (const piece of body ?? []) {
      text += Buffer.from(piece).toString("latin1");
      if (text.length > MAX_RESPONSE_LENGTH) break;
    }
  } catch {
    return {};
  }
  const members = status === 200 ? parseJson(text) : undefined;
  return isObject(members) ? members : {};
}
