// A request or an act tried on a copy of its world, by the same steps as the real one. Nobody else sees the copy, and nothing of it is
// kept: no log, no delivery, no fault, no limit of requests.
import type { RequestsPort, TimePort, WebhooksPort, WorldsPort } from "../app/application.ts";
import type { Looked } from "../domain/kernel/checks.ts";
import { TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import { after, type Instant } from "../domain/kernel/instant.ts";
import { changedRequest } from "../http/changed-request.ts";
import { toFailure } from "../http/errors.ts";
import type { Answer, Exchange, Rejection, Routed } from "../http/exchange.ts";
import { toRejection } from "../http/rejection.ts";
import { validateRequest } from "../http/request-validation.ts";
import { readRequestBody, runOperation } from "../http/run-operation.ts";
import { run, type Step, steps } from "../http/steps.ts";
import { toTokenFailure } from "../http/token-failure.ts";
import { hashToken } from "../world/state/credential.ts";
import type { World } from "../world/state/world.ts";
import type { ProposedChange } from "./solve.ts";

/** What a trial takes of the application. */
export type Trying = WorldsPort & RequestsPort & TimePort & WebhooksPort;

interface Tried {
  exchange: Routed;
  /** Undefined when it was answered as wished. */
  rejection: Rejection | undefined;
  /** What the rules looked at. */
  looked: readonly Looked[];
}

/** It opens nothing but the copy. */
const TRIAL_TOKEN = "trial";

/** `copy` is used up by it. */
export async function tryOn(
  copy: World,
  original: Routed,
  change: ProposedChange,
  application: Trying,
): Promise<Tried> {
  const exchange = changedRequest(original, change.set);
  const now = change.at ?? original.at;
  const looked: Looked[] = [];
  const trialApplication = createTrialApplication(copy, now, application, looked);
  try {
    for (const { act, input } of change.first)
      trialApplication.acts.perform(copy, act, input, { kind: "act", id: exchange.id });
    const scopes = change.scopes ?? findGranted(original);
    if (scopes) withToken(copy, now, { client: original.key?.id, scopes }, exchange);
    // What the acts looked at is not what the request met.
    looked.length = 0;
    if (exchange.route.control) exchange.world = copy;
    await run(listSteps(exchange), exchange, trialApplication);
    return { exchange, rejection: undefined, looked };
  } catch (reason) {
    const answer = (exchange.route.id === TOKEN_OPERATION ? toTokenFailure : toFailure)(reason, exchange.id);
    exchange.violations = getViolations(reason);
    return { exchange, rejection: toRejection(reason, exchange, answer), looked };
  }
}

/** The log has no token, so the scopes of the one that was sent are granted again. */
function findGranted({ key, route, scopes }: Routed): readonly string[] | undefined {
  return key && !route.control && route.id !== TOKEN_OPERATION ? scopes : undefined;
}

function getViolations(reason: unknown): Exchange["violations"] {
  const { violations } = reason as { violations?: Exchange["violations"] };
  return violations ? [...violations] : [];
}

function listSteps({ route }: Routed): readonly Step<Trying>[] {
  if (route.control) return [readRequestBody, validateRequest, perform];
  return route.id === TOKEN_OPERATION ? steps.token : PUBLIC;
}

/** No answer leaves: the steps end where it is made. */
const PUBLIC: readonly Step<Trying>[] = [...steps.beforeOperate, runOperation];

export const TRIGGER = "triggerKind";

function perform({ world, route, body, id }: Routed, { acts, messages, change }: RequestsPort & WebhooksPort): Answer {
  const cause = { kind: "act" as const, id };
  const { kind = "", set = {} } = (body ?? {}) as { kind?: string; set?: Record<string, unknown> };
  if (!world) return { status: 200 };
  if (route.id === TRIGGER) change(world, cause, (tx) => messages.apply(tx, kind, set));
  else acts.perform(world, route.id, body ?? {}, cause);
  return { status: 200 };
}

/** The application as it is, but for its one world, whose clock stands at that instant. */
function createTrialApplication(copy: World, now: Instant, application: Trying, looked: Looked[]): Trying {
  const { credentials } = copy;
  const trace = <T>(tx: { trace?: unknown }, work: () => T): T => {
    tx.trace = (each: Looked) => void looked.push(each);
    return work();
  };
  return {
    ...application,
    worlds: { get: () => copy, all: () => [copy] } as unknown as Trying["worlds"],
    now: () => now,
    read: (_, question) => copy.read(now, (tx) => trace(tx, () => question(tx))),
    change: (_, __, work) => copy.transact(now, (tx) => trace(tx, () => work(tx))),
    // Time stands: nothing falls due in a copy.
    performDueWork: () => undefined,
    // Nothing is stored, so nothing has to be waited for.
    waitUntilDurable: () => undefined,
    // A trial must use up no fault.
    faults: { ...application.faults, isArmed: () => false },
    findKey: (id) => {
      const key = credentials().keys.get(id);
      return key && { world: copy, key };
    },
    findToken: (sent) => {
      const token = credentials().tokens.get(hashToken(sent));
      return token && { world: copy, token };
    },
    acts: {
      ...application.acts,
      perform: (_, name, input) => copy.transact(now, (tx) => trace(tx, () => application.acts.apply(tx, name, input))),
    },
  };
}

/** A token of the same key, or of the first of the world; without scopes it has all of the key's. */
function withToken(
  copy: World,
  now: Instant,
  { client, scopes }: { client: string | undefined; scopes: readonly string[] },
  exchange: Routed,
): void {
  const keys = [...copy.credentials().keys.all()].filter((key) => !key.revoked_at);
  const key = keys.find(({ id }) => id === client) ?? keys[0];
  if (!key) return;
  const granted = scopes.length > 0 ? scopes.filter((scope) => key.scopes.includes(scope)) : [...key.scopes];
  const token = { id: hashToken(TRIAL_TOKEN), client_id: key.id, scopes: granted, expires_at: after(now, "PT1H") };
  copy.transact(now, (tx) => tx.tokens.put(token));
  exchange.headers = { ...exchange.headers, authorization: `Bearer ${TRIAL_TOKEN}` };
}
