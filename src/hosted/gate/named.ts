// Reads which world a request names, before its body is read: by the prefix of its token or client id, its path, query
// or header.
import { readSentToken } from "../../engine/http/control/index.ts";
import {
  hasWorldParameter,
  type Match,
  OF_SESSION,
  readHeader,
  type SandboxRequest,
  TOKEN_PATH,
} from "../../engine/http/extension/index.ts";
import { readCredentialWorld, readSessionNode } from "../../engine/world/index.ts";

/** How a request names its world. */
export type Named =
  | { by: "nothing" }
  /** A token or client id; empty for a name without one. */
  | { by: "credential"; world: string; credential: string }
  /** A request for a document of the world. */
  | { by: "document"; world: string }
  /** A request of the control API. */
  | { by: "control"; world: string }
  /** The default world of the caller. */
  | { by: "caller" }
  /** The client id in the form of a token request, or the id in the body of createWorld. */
  | { by: "form" | "body" }
  /** A session of the Model Context Protocol, which is in the memory of one node. `world`: the world that it began with. */
  | { by: "session"; world: string; node: string };

const NOTHING: Named = { by: "nothing" };
/** Other texts name no world, and the pipeline rejects them. */
const WORLD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** A file of a document carries its world in its path. */
const FILE = /^\/files\/([^/]+)\//;

const nameControlWorld = (world: string): Named => (WORLD.test(world) ? { by: "control", world } : NOTHING);
const nameByCredential = (credential: string, world = readCredentialWorld(credential)): Named =>
  WORLD.test(world) ? { by: "credential", world, credential } : NOTHING;

/** Reads only the match, the request line and headers, so it is cheap and never waits. */
export function readNamedWorld({
  match,
  headers,
  url = "/",
}: Pick<SandboxRequest, "match" | "headers" | "url">): Named {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const named = mark < 0 ? "" : (new URLSearchParams(url.slice(mark + 1)).get("world") ?? "");
  // The query wins over the header, because a link in a browser has no header.
  const chosen = named || (readHeader({ headers }, "sandbox-world") ?? "");
  if (path.startsWith("/_sandbox")) return readControlWorld({ headers }, chosen, match);
  if (path === TOKEN_PATH) return readClientWorld(readHeader({ headers }, "authorization")?.trim() ?? "");
  const file = FILE.exec(path)?.[1];
  if (file !== undefined) return nameByCredential("", file);
  // The token alone names the world in a request to the service itself.
  if (chosen !== "" && !path.startsWith("/v1/"))
    return WORLD.test(chosen) ? { by: "document", world: chosen } : NOTHING;
  const token = readSentToken(headers);
  return token === undefined ? NOTHING : nameByCredential(token);
}

/** A request of the control API names its world by path, body, query or header, in this order. */
function readControlWorld(
  request: Pick<SandboxRequest, "headers">,
  chosen: string,
  { route, params = {} }: Partial<Match> = {},
): Named {
  if (!route) return NOTHING;
  const session = readHeader(request, "mcp-session-id") ?? "";
  const run = readHeader(request, "sandbox-run") ?? "";
  // First, because a world beside the session was only for its beginning.
  if (session !== "" && OF_SESSION.has(route.id)) return readSession(session);
  // "default" is another world for each team.
  if (params.worldId === "default") return { by: "caller" };
  if (params.worldId !== undefined) return nameControlWorld(params.worldId);
  // Deleting a team removes its default world too.
  if (route.id === "deleteTeam") return nameControlWorld(params.teamId ?? "");
  // A world of a run is created where the run is.
  if (route.id === "createWorld") return run === "" || run === "default" ? { by: "body" } : nameControlWorld(run);
  if (chosen === "default") return { by: "caller" };
  if (chosen !== "") return nameControlWorld(chosen);
  return hasWorldParameter(route) && !OF_SESSION.has(route.id) ? { by: "caller" } : NOTHING;
}

function readSession(session: string): Named {
  const node = readSessionNode(session);
  return node === "" ? NOTHING : { by: "session", world: readCredentialWorld(session), node };
}

/**
 * Reads the client id of a token request: from HTTP Basic (RFC 6749 section 2.3.1, where both parts are form-encoded),
 * or the form.
 */
function readClientWorld(authorization: string): Named {
  const basic = /^basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization)?.[1];
  if (basic === undefined) return { by: "form" };
  const text = Buffer.from(basic, "base64").toString("utf8");
  const id = text.slice(0, Math.max(0, text.indexOf(":")));
  try {
    return nameByCredential(decodeURIComponent(id.replaceAll("+", " ")));
  } catch {
    // The pipeline rejects a broken percent sign.
    return NOTHING;
  }
}

/** Reads the world from a body. The pipeline rejects a body that names none. */
export function readBodyWorld(by: "form" | "body", raw: Buffer): Named {
  const text = raw.toString("utf8");
  if (by === "body") return nameControlWorld(readId(text));
  return nameByCredential(new URLSearchParams(text).get("client_id") ?? "");
}

function readId(text: string): string {
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    return typeof id === "string" ? id : "";
  } catch {
    return "";
  }
}
