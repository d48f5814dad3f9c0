// Passes requests to the tools of the sandbox: the Model Context Protocol, the recorder of scenarios, and the checks of
// a verdict.

import type { Schemas } from "../../../contract/schemas.ts";
import { optional } from "../../../platform/optional.ts";
import type { KeptVerdict } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { type Exchange, readHeader } from "../exchange.ts";
import { findOverrides, patchDocument } from "../in-force.ts";
import { readSentToken } from "./guard.ts";
import { defineHandlers, done, getWorld, ok, type Requested, resolveNamedWorld } from "./handler.ts";
import { showEntries } from "./watching.ts";

/** Finds the token of the caller, if there are accounts. A session has only the rights of its caller. */
function findToken({ caller, headers }: Exchange): string | undefined {
  if (!caller || caller.account === null) return undefined;
  const token = readSentToken(headers);
  if (token !== undefined) return token;
  const message =
    "A session needs a token: send `Authorization: Bearer <token>`. The cookie of a browser is not enough.";
  throw new HttpError(403, message);
}

export const tools = defineHandlers({
  async sendMcpMessage({ application, exchange, body }) {
    const session = readHeader(exchange, "mcp-session-id");
    // The world is only read at the start of a session, because it may be on another node later.
    const named = session === undefined ? resolveNamedWorld(exchange) : undefined;
    const answer = await application.mcp.ask({
      session,
      protocol: readHeader(exchange, "mcp-protocol-version"),
      body,
      token: findToken(exchange),
      account: exchange.caller?.account ?? undefined,
      world: named && getWorld(application, named).id,
    });
    if (answer.rejection !== undefined) throw new HttpError(answer.status, answer.rejection);
    const headers = optional({ "mcp-session-id": answer.session });
    return { status: answer.status, headers, body: answer.body };
  },
  async endMcpSession({ application, exchange }) {
    const session = readHeader(exchange, "mcp-session-id");
    if (session === undefined) throw new HttpError(400, "The header mcp-session-id is missing: it names the session.");
    if (await application.mcp.end(session, exchange.caller?.account ?? undefined)) return done;
    throw new HttpError(404, `There is no session ${session.slice(0, 120)}. It has ended already.`);
  },
  async recordScenario(requested) {
    const { application, exchange, body } = requested;
    const world = requested.world.id;
    const made = await application.record({ world, wanted: body, credentials: readCredentials(exchange) });
    if ("rejection" in made) throw new HttpError(made.status, made.rejection, { code: made.code });
    return ok(made);
  },
  async lintLog({ application, world }) {
    // Requests of a person are not those of the program.
    const entries = application.log.list(world.id, { kinds: ["request"], run: true }).filter(({ by_hand }) => !by_hand);
    const members = application.runs.listMembers(world.id);
    const ofRun = members.flatMap((id) => application.worlds.get(id) ?? []);
    const results = await application.lint({
      requests: showEntries(entries, "full", application) as Generator<Schemas["RequestEntry"]>,
      subscriptions: [world, ...ofRun].flatMap((each) => [...each.credentials().subscriptions.all()]),
      document: patchDocument(findOverrides(world, application)),
    });
    const worlds = new Map(entries.map((entry) => [entry.id, entry.world]));
    const items = results.map((result) => ({
      ...result,
      evidence: result.evidence.map((each) => locate(each, worlds.get(each.id), world.id)),
    }));
    return ok({ requests: entries.length, dropped: application.log.findDropped([world.id, ...members]), items });
  },
  listVerdicts({ application, world }) {
    const list = application.verdicts.list(world.id);
    // The checks and their evidence are omitted, because they may be large.
    const items = list.map(({ id, verdict: { command, at, counts, no_verdict, exit_code } }) => ({
      id,
      command,
      at,
      counts,
      no_verdict,
      exit_code,
    }));
    return ok({ items });
  },
  keepVerdict: ({ application, world, body }) => ({
    status: 201,
    body: application.verdicts.keep(world.id, body),
  }),
  getVerdict: (requested) => ok(findVerdict(requested)),
  deleteVerdict(requested) {
    requested.application.verdicts.remove(requested.world.id, findVerdict(requested).id);
    return done;
  },
});

function readCredentials(exchange: Exchange): Record<string, string> | undefined {
  if (!exchange.caller) return undefined;
  return optional({ authorization: readHeader(exchange, "authorization"), cookie: readHeader(exchange, "cookie") });
}

type Evidence = Schemas["VerdictEvidence"];

/** Adds the world to evidence from another world than the requested one. */
const locate = (evidence: Evidence, world: string | undefined, own: string): Evidence =>
  world === undefined || world === own ? evidence : { ...evidence, world };

function findVerdict(requested: Requested<"getVerdict" | "deleteVerdict">): KeptVerdict {
  const { verdictId } = requested.path;
  const verdict = requested.application.verdicts.list(requested.world.id).find(({ id }) => id === verdictId);
  if (verdict) return verdict;
  throw new HttpError(404, `There is no verdict ${verdictId.slice(0, 100)}.`, { list: "GET /_sandbox/verdicts" });
}
