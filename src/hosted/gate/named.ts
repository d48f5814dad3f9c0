// Which world a request names, before its body is read: the prefix of its token or client id, its path, its query or its header.
import { presentedToken } from "../../engine/http/control/index.ts";
import {
  header,
  type Match,
  OF_SESSION,
  type SandboxRequest,
  TOKEN_PATH,
  takesWorld,
} from "../../engine/http/extension/index.ts";
import { nodeOfSession, worldOfCredential } from "../../engine/world/index.ts";

/** `caller`: the one that the caller usually works in. `form` and `body`: its body names it. */
export type Named = NamedWorld | NamedSession | "nothing" | "caller" | "form" | "body";
/** `isChosen`: a document as it is in that world. `credential`: what names it, empty where its name alone does; the control API knows the caller in other ways. */
export type NamedWorld = { world: string; isChosen?: true; credential?: string };
/** A session of the Model Context Protocol, which is in the memory of one node. `world`: the one that it began with. */
export type NamedSession = { world: string; node: string };

/** What is no id of a world is not looked for; the pipeline answers it. */
const WORLD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** A file of a document carries its world in its path. */
const FILE = /^\/files\/([^/]+)\//;

const called = (world: string): NamedWorld | "nothing" => (WORLD.test(world) ? { world } : "nothing");
const findNamedWorld = (credential: string, world = worldOfCredential(credential)): NamedWorld | "nothing" =>
  WORLD.test(world) ? { world, credential } : "nothing";

/** Looks at nothing but the match, the request line and headers, so it is cheap and never waits. */
export function worldNamed({ match, headers, url = "/" }: Pick<SandboxRequest, "match" | "headers" | "url">): Named {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const named = mark < 0 ? "" : (new URLSearchParams(url.slice(mark + 1)).get("world") ?? "");
  // The query wins over the header: a link in a browser can have no header.
  const chosen = named || (header({ headers }, "sandbox-world") ?? "");
  if (path.startsWith("/_sandbox"))
    return inControl(match, chosen, {
      session: header({ headers }, "mcp-session-id") ?? "",
      run: header({ headers }, "sandbox-run") ?? "",
    });
  if (path === TOKEN_PATH) return ofClient(header({ headers }, "authorization")?.trim() ?? "");
  const file = FILE.exec(path)?.[1];
  if (file !== undefined) return findNamedWorld("", file);
  // The service itself goes by the token alone.
  if (chosen !== "" && !path.startsWith("/v1/"))
    return WORLD.test(chosen) ? { world: chosen, isChosen: true } : "nothing";
  const token = presentedToken(headers);
  return token === undefined ? "nothing" : findNamedWorld(token);
}

/** A request of the control API names its world by path, body, query or header, in this order. */
function inControl(
  { route, params = {} }: Partial<Match> = {},
  chosen: string,
  { session, run }: { session: string; run: string },
): Named {
  if (!route) return "nothing";
  // Before all else: what it names beside the session was for the beginning of it.
  if (session !== "" && OF_SESSION.has(route.id)) return ofSession(session);
  // "default" means another world for each team, which only the caller's principal can tell.
  if (params.worldId === "default") return "caller";
  if (params.worldId !== undefined) return called(params.worldId);
  // It removes the team's default world too.
  if (route.id === "deleteTeam") return called(params.teamId ?? "");
  // A world of a run is made where the run is.
  if (route.id === "createWorld") return run === "" || run === "default" ? "body" : called(run);
  if (chosen === "default") return "caller";
  if (chosen !== "") return called(chosen);
  return takesWorld(route) && !OF_SESSION.has(route.id) ? "caller" : "nothing";
}

function ofSession(session: string): Named {
  const node = nodeOfSession(session);
  return node === "" ? "nothing" : { world: worldOfCredential(session), node };
}

/**
 * The client id of a token request: by HTTP Basic as in RFC 6749 section 2.3.1, where both parts are form-encoded, or
 * in the form.
 */
function ofClient(authorization: string): Named {
  const basic = /^basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization)?.[1];
  if (basic === undefined) return "form";
  const text = Buffer.from(basic, "base64").toString("utf8");
  const id = text.slice(0, Math.max(0, text.indexOf(":")));
  try {
    return findNamedWorld(decodeURIComponent(id.replaceAll("+", " ")));
    // A broken percent sign: the pipeline words the error, since there is no world to look for.
  } catch {
    return "nothing";
  }
}

/** In a body that was read. Of a body that is no JSON or names nothing the pipeline says what is wrong with it. */
export function worldInBody(named: "form" | "body", raw: unknown): NamedWorld | undefined {
  if (!Buffer.isBuffer(raw)) return undefined;
  const text = raw.toString("utf8");
  const found =
    named === "form" ? findNamedWorld(new URLSearchParams(text).get("client_id") ?? "") : called(readId(text));
  return found === "nothing" ? undefined : found;
}

function readId(text: string): string {
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    return typeof id === "string" ? id : "";
  } catch {
    return "";
  }
}
