// Creates secrets, tokens and credentials, which must be unguessable, and ids, which are counted.

import { randomBytes, randomUUID, scryptSync } from "node:crypto";
import type { WorldsPort } from "../app/application.ts";
import { computeMark, formatCredential } from "../world/state/credential.ts";

/** The tilde tests clients: some form encoders keep it and others write %7E, and both mean the same secret. */
const makeSecret = () => `${randomBytes(8).toString("base64url")}~${randomBytes(24).toString("base64url")}`;

export const makeToken = () => randomBytes(32).toString("base64url");

/** All nodes share the control token. The key is slow to compute, so that a mark does not help to guess the token. */
export const toCredentialKey = (controlToken: string): string =>
  scryptSync(controlToken, "credentials", 32).toString("hex");

/** With a key, credentials contain a mark of their world. A single sandbox has all worlds open and needs no key. */
export function makeRandom(key: string | undefined): WorldsPort["random"] {
  const mark = (world: string) => (key === undefined ? randomBytes(6).toString("hex") : computeMark(key, world));
  return {
    secret: () => `whsec_${randomBytes(32).toString("base64")}`,
    token: (world) => formatCredential(world, mark(world) + randomBytes(23).toString("base64url")),
    credentials: (world) => ({
      id: formatCredential(world, mark(world) + randomBytes(6).toString("hex")),
      secret: makeSecret(),
    }),
    worldId: () => makeWorldId("w"),
    uuid: randomUUID,
  };
}

/** `mcp` marks the world of an MCP session without a world of its own. */
export const makeWorldId = (kind: "w" | "mcp"): string => `${kind}-${randomBytes(6).toString("hex")}`;

/** Creates ids of requests, acts, summaries and changes of worlds: a counter after a stamp of this process. */
export function makeIds(): WorldsPort["newId"] {
  const stamp = randomBytes(3).toString("hex");
  const counts = { req: 0, act: 0, clk: 0, wld: 0 };
  return (kind) => `${kind}-${stamp}-${++counts[kind]}`;
}
