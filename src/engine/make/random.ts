// What nobody may guess: secrets, tokens and credentials; and the ids that are counted.

import { randomBytes, randomUUID, scryptSync } from "node:crypto";
import type { WorldsPort } from "../app/application.ts";
import { computeMark, formatCredential } from "../world/state/credential.ts";

/** With a tilde, which some form encoders leave alone and others write as %7E: both are the same secret. */
const makeSecret = () => `${randomBytes(8).toString("base64url")}~${randomBytes(24).toString("base64url")}`;

export const makeToken = () => randomBytes(32).toString("base64url");

/** All nodes have the same control token. Slow, so that who has a mark learns the token no sooner than who tries it out. */
export const toCredentialKey = (controlToken: string): string =>
  scryptSync(controlToken, "credentials", 32).toString("hex");

/** With a key, the credentials of a world bear its mark; one sandbox alone has all worlds open, and needs none. */
export function makeRandom(key: string | undefined): WorldsPort["random"] {
  const mark = (world: string) => (key === undefined ? randomBytes(6).toString("hex") : computeMark(key, world));
  return {
    secret: () => `whsec_${randomBytes(32).toString("base64")}`,
    token: (world) => formatCredential(world, mark(world) + randomBytes(23).toString("base64url")),
    credentials: (world) => ({
      id: formatCredential(world, mark(world) + randomBytes(6).toString("hex")),
      secret: makeSecret(),
    }),
    uuid: randomUUID,
  };
}

/** `mcp`: of a session without a world of its own. */
export const makeWorldId = (kind: "w" | "mcp" = "w"): string => `${kind}-${randomBytes(6).toString("hex")}`;

/** Ids of requests, acts, receipts and changes of worlds: counted, behind a stamp of this process. */
export function makeIds(): WorldsPort["newId"] {
  const stamp = randomBytes(3).toString("hex");
  const counts = { req: 0, act: 0, clk: 0, wld: 0 };
  return (kind) => `${kind}-${stamp}-${++counts[kind]}`;
}
