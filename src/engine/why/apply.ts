// Sends a rejected request again with the smallest change: first its acts, then the request with a new token of its
// key. The response contains the change that was sent.

import type { Key } from "../domain/kernel/records.ts";
import { defineHandlers, findWorld, ok } from "../http/control/handler.ts";
import { restoreExchange } from "../http/control/replay.ts";
import { HttpError } from "../http/errors.ts";
import { type Exchange, isRouted, type RawRequest, readHeader } from "../http/exchange.ts";
import { grantToken } from "../http/token.ts";
import type { LogEntry } from "../log/view.ts";
import type { World } from "../world/state/world.ts";
import { findEntry } from "./entries.ts";
import { type OfferedChange, toResend } from "./offer.ts";
import { type ExplainContext, explainRefusal } from "./refusal.ts";

/** Rejects with NOTHING_TO_APPLY, WORKED_THEN or NOT_APPLIED. Acts that ran before the rejection are not undone. */
export const whyApply = defineHandlers({
  async applySmallestChange({ exchange, application, path }) {
    const context = { application, world: findWorld({ exchange, application }) };
    const { change, refused } = await findOffer(path.id, context);
    const { resend } = exchange;
    if (!resend) throw new Error("this request can't send another");
    // The acts run in the world of the explanation.
    const named = { "sandbox-world": context.world.id, host: readHeader(exchange, "host") ?? "" };
    const acts: string[] = [];
    for (const { act, input } of change.first ?? []) {
      const done = await resend(toActRequest(act, input, named));
      // Rejected acts are listed too, because the log contains them.
      acts.push(done.id);
      if (done.status === null || done.status >= 400)
        throw new HttpError(409, `The preceding act ${act} was rejected: ${getMessage(done.answer)}`, {
          code: "NOT_APPLIED",
        });
    }
    const token = findToken(refused, change, { exchange, ...context });
    const headers = {
      "sandbox-replay-of": path.id,
      // Operations of the service find their world by the token.
      ...(refused.route?.control ? named : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    return ok({ change, acts, ...(await resend(toResend(refused, change.set ?? {}, headers))) });
  },
});

/** Finds the change that works now and its request. In a fork, the request may be one of the original world. */
async function findOffer(id: string, { world, application }: ExplainContext) {
  const origin = application.worlds.get(application.states.findOrigin(world.id) ?? "");
  const here = { entry: findEntry(id, { world, application }), of: world };
  const { entry, of } =
    here.entry || !origin ? here : { entry: findEntry(id, { world: origin, application }), of: origin };
  const refusal = entry && (await explainRefusal(entry, of, application));
  if (!entry) throw new HttpError(404, `The log of world ${world.id} has no ${id.slice(0, 100)}.`);
  const change = refusal?.smallest;
  const refused = restoreExchange(entry, of);
  if (!refusal || !isRouted(refused) || !change?.tried || !change.request)
    throw new HttpError(409, `${id} ${explainNoChange(refusal?.smallest)}`, { code: "NOTHING_TO_APPLY" });
  // A change that worked only in the past is applied in a fork of that time.
  if (!change.works_now && of === world) throw rejectPast(change, entry, world);
  return { change, refused };
}

function rejectPast({ text, moment }: OfferedChange, { at }: LogEntry, { id }: World): HttpError {
  const advice = moment ? ` Fork the world ${id} at ${moment.seq}, and apply the change there.` : "";
  const sentence = `${text} That worked at ${moment?.at ?? at}, but does not work in the current world.${advice}`;
  return new HttpError(409, sentence, { code: "WORKED_THEN" });
}

function explainNoChange(change: OfferedChange | undefined): string {
  if (!change) return "has no change that works, so no request was sent.";
  return `has no change that was tried, so no request was sent. What to do: ${change.text}`;
}

function toActRequest(act: string, input: object, headers: Record<string, string>): RawRequest {
  const raw = Buffer.from(JSON.stringify(input));
  const length = { "content-type": "application/json", "content-length": String(raw.length) };
  return { method: "POST", target: `/_sandbox/acts/${act}`, headers: { ...headers, ...length }, raw };
}

const getMessage = (answer: unknown): string => String((answer as { message?: unknown } | null)?.message ?? "");

interface Sender extends ExplainContext {
  exchange: Exchange;
}

/** Returns a token of the same key, or of the world's first key; undefined if the operation needs no token. */
function findToken({ route, key, scopes }: Exchange, change: OfferedChange, sender: Sender): string | undefined {
  const { world, application, exchange } = sender;
  const needsToken = key !== undefined || change.scopes !== undefined;
  if (!route || route.control || !needsToken) return undefined;
  const keys = [...world.credentials().keys.all()].filter(({ revoked_at }: Key) => !revoked_at);
  // A fork has its own keys with the same names.
  const own = keys.find(({ id }) => id === key?.id) ?? keys.find(({ name }) => name === key?.name) ?? keys[0];
  if (!own) throw new HttpError(409, `Every key of the world ${world.id} is revoked.`, { code: "NO_KEY" });
  const wanted = change.scopes ?? scopes ?? [];
  const granted = wanted.length === 0 ? own.scopes : wanted.filter((scope) => own.scopes.includes(scope));
  return grantToken(exchange, { world, key: own, scopes: granted }, application).access_token;
}
