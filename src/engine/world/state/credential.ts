// A credential names its world: a token, a client id and the id of a session are `<world>.<random>`, so that no directory has to be
// asked, and a load balancer can tell where a request belongs. The random part has no dot; the id of a world may have some.
import { createHmac, hash, timingSafeEqual } from "node:crypto";

/** Tokens are stored as hashes: nobody who reads the state can use one, and the time of a look-up tells nothing about them. */
export const hashOf = (token: string): string => hash("sha256", token, "hex");

export const credentialIn = (world: string, random: string): string => `${world}.${random}`;

/** One without a dot comes from a data file of an earlier version. */
export function worldOfCredential(credential: string): string {
  const dot = credential.lastIndexOf(".");
  return dot < 0 ? "default" : credential.slice(0, dot);
}

/** A session is in the memory of the node where it began, wherever its worlds are. `node` is empty where there are no nodes. */
export const sessionIn = (world: string, random: string, node: string): string =>
  credentialIn(world, node === "" ? random : `${random}_${node}`);
/** Empty where it names none. */
export const nodeOfSession = (session: string): string =>
  /_([^_.]+)$/.exec(session.slice(worldOfCredential(session).length))?.[1] ?? "";

/**
 * Of a token what follows its world, client secrets and signing secrets by their form, as make/random.ts draws them; a form encoder may
 * write the tilde as %7E.
 */
export const SECRET_FORMS =
  /(?<=\.)[0-9a-f]{12}[\w-]{31}(?![\w-])|(?<![\w-])[\w-]{11}(?:~|%7E)[\w-]{32}(?![\w-])|whsec_[\w+/-]{16,}={0,2}/g;

/** In characters. */
const MARK = 12;

/**
 * What the random part of a credential begins with where nodes share a key. Nobody else can make it, so that a credential that was made up
 * is known without a look into the world.
 */
export const markOf = (key: string, world: string): string =>
  createHmac("sha256", key).update(world).digest("hex").slice(0, MARK);

/** As a credential of a world whose id has a blank, which no world has: nobody but a node is issued one. */
const nodeIn = (node: string): string => `node ${node}`;
export const hopOf = (key: string, node: string): string => credentialIn(node, markOf(key, nodeIn(node)));
export const isHop = (key: string, hop: string): boolean => isMarked(key, nodeIn(hop));

/** The id of a node ends with a mark, by which another sees whether both were started with one token. */
const markOfId = (key: string, id: string): string => markOf(key, `id of node ${id}`);
export const nodeIdIn = (key: string, id: string): string => `${id}-${markOfId(key, id)}`;
/** True of the id of a version without marks too: nothing is known of its token. */
export function isSameToken(key: string, nodeId: string): boolean {
  const [, id = "", mark] = /^(.{36})-(.+)$/.exec(nodeId) ?? [];
  return mark === undefined || mark === markOfId(key, id);
}

/** Those that were issued before there were marks have none. */
export function isMarked(key: string, credential: string): boolean {
  const world = worldOfCredential(credential);
  const parts = credential
    .slice(world.length + 1)
    .slice(0, MARK)
    .padEnd(MARK);
  return timingSafeEqual(Buffer.from(parts, "latin1"), Buffer.from(markOf(key, world), "latin1"));
}
