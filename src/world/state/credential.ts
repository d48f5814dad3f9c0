// A credential names its world: a token, a client id and the id of a session are `<world>.<random>`, so that no directory has to be
// asked, and a load balancer can tell where a request belongs. The random part has no dot; the id of a world may have some.
import { hash } from "node:crypto";

/** Tokens are stored as hashes: nobody who reads the state can use one, and the time of a look-up tells nothing about them. */
export const hashOf = (token: string): string => hash("sha256", token, "hex");

export const credentialIn = (world: string, random: string): string => `${world}.${random}`;

/** One without a dot comes from a data file of an earlier version. */
export function worldOfCredential(credential: string): string {
  const dot = credential.lastIndexOf(".");
  return dot < 0 ? "default" : credential.slice(0, dot);
}
