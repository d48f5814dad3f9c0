// Tries a request or an act on a copy of its world, with the same steps as the real request. The copy is private and
// temporary: it has no log, deliveries, faults or rate limit.
import type { Schemas } from "../../contract/schemas.ts";
import type { RequestsPort, TimePort, WebhooksPort, WorldsPort } from "../app/application.ts";
import type { CheckResult } from "../domain/kernel/checks.ts";
import { TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import { after, type Instant } from "../domain/kernel/instant.ts";
import { createChangedRequest } from "../http/control/replay.ts";
import { toFailure, toRejection } from "../http/errors.ts";
import type { Answer, Exchange, Rejection, Routed } from "../http/exchange.ts";
import { validateRequest } from "../http/request-validation.ts";
import { readRequestBody, runOperation } from "../http/run-operation.ts";
import { run, type Step, steps } from "../http/steps.ts";
import { toTokenFailure } from "../http/token.ts";
import { hashToken } from "../world/state/credential.ts";
import type { World } from "../world/state/world.ts";
import type { ProposedChange } from "./solve.ts";

export type TrialPorts = WorldsPort & RequestsPort & TimePort & WebhooksPort;

interface TrialResult {
  exchange: Routed;
  /** Undefined if the request succeeded. */
  rejection: Rejection | undefined;
  /** The checks of the rules, with the values that they compared. */
  looked: readonly CheckResult[];
}

/** The token is only valid in the copy. */
const TRIAL_TOKEN = "trial";

/** Runs the request in `copy`, which is changed by the trial and can't be used again. */
export async function runTrial(
  copy: World,
  original: Routed,
  change: ProposedChange,
  application: TrialPorts,
): Promise<TrialResult> {
  const exchange = createChangedRequest(original, change.set);
  const now = change.at ?? original.at;
  const looked: CheckResult[] = [];
  const trialApplication = createTrialApplication(copy, now, application, looked);
  try {
    for (const { act, input } of change.first)
      trialApplication.acts.perform(copy, act, input, { kind: "act", id: exchange.id });
    const scopes = change.scopes ?? findGrantedScopes(original);
    if (scopes) grantTrialToken(copy, now, { client: original.key?.id, scopes }, exchange);
    // The checks of the acts are removed, because the result has only those of the request.
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

/** Returns the scopes of the original token, because the log does not contain the token itself. */
function findGrantedScopes({ key, route, scopes }: Routed): readonly string[] | undefined {
  return key && !route.control && route.id !== TOKEN_OPERATION ? scopes : undefined;
}

function getViolations(reason: unknown): Exchange["violations"] {
  const { violations } = reason as { violations?: Exchange["violations"] };
  return violations ? [...violations] : [];
}

function listSteps({ route }: Routed): readonly Step<TrialPorts>[] {
  if (route.control) return [readRequestBody, validateRequest, perform];
  return route.id === TOKEN_OPERATION ? steps.token : PUBLIC_STEPS;
}

/** The steps end with the operation, because no response is sent. */
const PUBLIC_STEPS: readonly Step<TrialPorts>[] = [...steps.beforeOperate, runOperation];

export const TRIGGER = "triggerKind";

function perform({ world, route, body, id }: Routed, { acts, messages, change }: RequestsPort & WebhooksPort): Answer {
  const cause = { kind: "act" as const, id };
  if (!world) return { status: 200 };
  if (route.id === TRIGGER) {
    // The step before has validated the input.
    const { kind, set = {} } = body as Schemas["TriggerInput"];
    change(world, cause, (tx) => messages.apply(tx, kind, set));
  } else acts.perform(world, route.id, body ?? {}, cause);
  return { status: 200 };
}

/** Returns the application with only one world, the copy, and its clock held at the instant. */
function createTrialApplication(copy: World, now: Instant, application: TrialPorts, looked: CheckResult[]): TrialPorts {
  const { credentials } = copy;
  const trace = <T>(tx: { trace?: unknown }, work: () => T): T => {
    tx.trace = (each: CheckResult) => void looked.push(each);
    return work();
  };
  return {
    ...application,
    worlds: { get: () => copy, all: () => [copy] } as unknown as TrialPorts["worlds"],
    now: () => now,
    read: (_, question) => copy.read(now, (tx) => trace(tx, () => question(tx))),
    change: (_, __, work) => copy.transact(now, (tx) => trace(tx, () => work(tx))),
    // The clock of a copy does not move, so nothing becomes due.
    performDueWork: () => undefined,
    // The copy is not stored, so there is nothing to wait for.
    waitUntilDurable: () => undefined,
    // A trial must not count as a hit of a fault.
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

/** Grants a token of the same key, or of the world's first key. Without scopes, the token has all scopes of the key. */
function grantTrialToken(
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
