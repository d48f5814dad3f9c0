// Formats and reads credentials. Tokens, client ids and session ids are `<world>.<random>`, so the world of a request
// is known without a look-up, also to a load balancer. The random part has no dot; the id of a world may have some.
import { createHmac, hash, timingSafeEqual } from "node:crypto";

/** Tokens are stored as hashes, so a stored token can't be used, and the time of a look-up reveals nothing about it. */
export const hashToken = (token: string): string => hash("sha256", token, "hex");

export const formatCredential = (world: string, random: string): string => `${world}.${random}`;

/** Returns the world of a credential. Credentials without a dot are from a data file of an earlier version. */
export function readCredentialWorld(credential: string): string {
  const dot = credential.lastIndexOf(".");
  return dot < 0 ? "default" : credential.slice(0, dot);
}

/** A session is in the memory of the node on which it began, wherever its worlds are. `node` is empty without nodes. */
export const formatSessionId = (world: string, random: string, node: string): string =>
  formatCredential(world, node === "" ? random : `${random}_${node}`);
/** Returns "" if the session names no node. */
export const readSessionNode = (session: string): string =>
  /_([^_.]+)$/.exec(session.slice(readCredentialWorld(session).length))?.[1] ?? "";

/**
 * Matches secrets in the formats of make/random.ts: the part of a token after its world, client secrets, and signing
 * secrets. Form encoders may write the tilde as %7E.
 */
export const SECRET_FORMS =
  /(?<=\.)[0-9a-f]{12}[\w-]{31}(?![\w-])|(?<![\w-])[\w-]{11}(?:~|%7E)[\w-]{32}(?![\w-])|whsec_[\w+/-]{16,}={0,2}/g;

/** Characters. */
const MARK_LENGTH = 12;

/**
 * The random part of a credential begins with this mark where nodes share a key. Only they can compute it, so forged
 * credentials are rejected without loading the world.
 */
export const computeMark = (key: string, world: string): string =>
  createHmac("sha256", key).update(world).digest("hex").slice(0, MARK_LENGTH);

/**
 * Nodes authenticate with a credential of a world whose id has a space. Worlds have no such ids, so only nodes are
 * issued one.
 */
const toNodeWorld = (node: string): string => `node ${node}`;
export const createNodeCredential = (key: string, node: string): string =>
  formatCredential(node, computeMark(key, toNodeWorld(node)));
export const isNodeCredential = (key: string, hop: string): boolean => hasMark(key, toNodeWorld(hop));

/** The id of a node ends with a mark that shows other nodes whether all were started with the same token. */
const computeNodeMark = (key: string, id: string): string => computeMark(key, `id of node ${id}`);
export const formatNodeId = (key: string, id: string): string => `${id}-${computeNodeMark(key, id)}`;
/** Returns true also for the id of a node of an older version, which has no mark. */
export function hasSameToken(key: string, nodeId: string): boolean {
  const [, id = "", mark] = /^(.{36})-(.+)$/.exec(nodeId) ?? [];
  return mark === undefined || mark === computeNodeMark(key, id);
}

/** Whether the credential has the mark of its world. Credentials of older versions have none. */
export function hasMark(key: string, credential: string): boolean {
  const world = readCredentialWorld(credential);
  const start = world.length + 1;
  const mark = credential.slice(start, start + MARK_LENGTH).padEnd(MARK_LENGTH);
  return timingSafeEqual(Buffer.from(mark, "latin1"), Buffer.from(computeMark(key, world), "latin1"));
}
