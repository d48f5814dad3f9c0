// Explains why a request or an act was rejected: the checks with the compared values, the sources of the rule, and the
// smallest change that works, which is tried on copies of the world at that time.
import type { Schemas } from "../../contract/schemas.ts";
import type { HistoryPort, RequestsPort, WorldsPort } from "../app/application.ts";
import type { CheckResult } from "../domain/kernel/checks.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import { TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import { readRejection, readSentBody, restoreExchange } from "../http/control/replay.ts";
import { type Exchange, isRouted, type Rejection, type Routed } from "../http/exchange.ts";
import type { LogEntry } from "../log/view.ts";
import type { World } from "../world/state/world.ts";
import { describeOperation } from "./described.ts";
import type { WhyContext } from "./entries.ts";
import { offerChange } from "./offer.ts";
import { type CheckRow, listRows } from "./rows.ts";
import { type Basis, fill, type RejectedRequest } from "./rule.ts";
import { findChange, findRule } from "./solve.ts";
import { runTrial, TRIGGER, type TrialPorts } from "./trial.ts";

type WhyRefusal = Schemas["WhyRefusal"];
type WhyBasis = Schemas["WhyBasis"];

export type ExplainContext = WhyContext<TrialPorts & HistoryPort>;

/** `world` is the world of the entry. Returns undefined if the entry was not rejected. */
export async function explainRefusal(
  entry: LogEntry,
  world: World,
  application: TrialPorts & HistoryPort,
): Promise<WhyRefusal | undefined> {
  const rejection = readRejection(entry);
  if (!rejection) return undefined;
  const { seq, at } = entry;
  const exchange = restoreExchange(entry, world);
  // A note explains if the world of that time is no longer stored, so that nothing can be tried.
  const { copy, note } = await createCopies(world, { seq, at }, application);
  const view = copy?.() ?? world;
  const subject = { exchange, world, application };
  const trial = copy && isRouted(exchange) && canBeTried(exchange, application) ? { copy, exchange } : undefined;
  // The unchanged request is tried first, to get the values that the rule compares.
  const first = trial && (await runTrial(trial.copy(), trial.exchange, { set: {}, first: [] }, application));
  // If another rule rejects the request than in the log, the copy differs from the world of that time.
  const known = first?.rejection?.rule === rejection.rule ? first.looked : [];
  const question = toRejectedRequest(subject, exchange, rejection, view);
  const solved = await findChange(question, async (change) => {
    if (!trial) return question;
    const tried = await runTrial(trial.copy(), trial.exchange, change, application);
    return tried.rejection && toRejectedRequest(subject, tried.exchange, tried.rejection, view);
  });
  return {
    status: rejection.status === 0 ? null : rejection.status,
    code: rejection.code,
    message: rejection.message,
    rule: rejection.rule,
    checks: listChecks(exchange, rejection, known, application),
    rests_on: listBasis(exchange, rejection, subject),
    ...(solved ? { smallest: await offerChange(solved, trial?.exchange, { seq, at, world }, application) } : {}),
    ...(note === undefined ? {} : { note }),
  };
}

/** Returns a function that copies the world of that time, or a note if that world is no longer stored. */
async function createCopies(
  world: World,
  moment: { seq: number; at: Instant },
  { history }: HistoryPort,
): Promise<{ copy?: () => World; note?: string }> {
  try {
    return { copy: await history.createPastViewFactory(world, moment) };
  } catch (reason) {
    if (!(reason instanceof DomainError)) throw reason;
    return { note: `${reason.message} The checks therefore have no values, and no change was tried.` };
  }
}

/** Returns false for documents, and for faults, which are no rules and end by themselves. */
function canBeTried({ route: { id, control }, fault }: Routed, { operations, acts }: RequestsPort): boolean {
  if (fault) return false;
  return control
    ? id === TRIGGER || acts.all().some((act) => act.id === id)
    : operations.has(id) || id === TOKEN_OPERATION;
}

interface Subject extends WhyContext<RequestsPort> {
  exchange: Exchange;
}

/** `tried` is the original request, or the request that was changed for a trial. */
function toRejectedRequest(
  { exchange: original, world, application }: Subject,
  tried: Exchange,
  rejection: Rejection,
  view: World,
): RejectedRequest {
  const control = tried.route?.control ?? false;
  const { findSchema } = describeOperation(tried.route?.id, { world, control }, application);
  return {
    rejection,
    body: readSentBody(tried),
    query: tried.query,
    path: tried.params,
    headers: tried.headers,
    scopes: original.scopes ?? [],
    clientId: original.key?.id,
    findSchema,
    read: (question) => view.read(original.at, question),
  };
}

/** The first violations of a body are enough to find the cause. */
const MAX_FIELDS = 3;

function listBasis(
  { route }: Exchange,
  { rule, status, violations }: Rejection,
  { world, application }: WhyContext<WorldsPort & RequestsPort>,
): WhyBasis[] {
  const control = route?.control ?? false;
  const { operation, findDescription } = describeOperation(route?.id, { world, control }, application);
  const register = application.assumptions.all(world);
  const response = operation?.responses.find((each) => each.status === String(status));
  const members = violations.slice(0, MAX_FIELDS).flatMap(({ location }): WhyBasis[] => {
    const text = findDescription(location);
    return text ? [{ kind: "specification", id: `${route?.id} ${location.join(".")}`, text: toOneLine(text) }] : [];
  });
  return [
    ...findRule(rule).rests_on.flatMap((basis) => readBasis(basis, register)),
    ...(response?.description
      ? [{ kind: "specification" as const, id: `${route?.id} ${status}`, text: toOneLine(response.description) }]
      : []),
    ...members,
  ];
}

const toOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Returns an assumption with the meaning of its current value. */
function readBasis(basis: Basis, register: readonly Schemas["Assumption"][]): WhyBasis[] {
  if (basis.kind !== "assumption") return [basis];
  const entry = register.find(({ id }) => id === basis.id);
  if (!entry) return [];
  const { id, value, chosen, alternatives } = entry;
  const text = alternatives.find((each) => each.value === value)?.meaning ?? chosen;
  return [{ kind: "assumption", id, value, text: toOneLine(text) }];
}

// Lists the checks of a request in the order of its steps, each with the compared values. A rule of the service reports
// its own checks when the request is tried on a copy of the world.

const hasRule = (row: CheckRow, rule: string): boolean =>
  row.rules.some((name) => (name.endsWith("*") ? rule.startsWith(name.slice(0, -1)) : name === rule));

/** `known` are the checks that the rule of the service reported. */
function listChecks(
  exchange: Exchange,
  rejection: Rejection,
  known: readonly CheckResult[],
  application: RequestsPort,
): CheckResult[] {
  const rows = listRows(exchange).map((row) => ({ row, looked: row.looked(exchange, application) }));
  // All checks before the one that rejected passed, and those after it were not made.
  const stood = rows.findIndex(({ row }) => hasRule(row, rejection.rule));
  return rows.flatMap(({ row, looked }, index): CheckResult[] => {
    if (index === stood) return listFailedChecks(row, rejection, known);
    if (looked === undefined) return [];
    const passed = stood < 0 || index < stood;
    return [{ name: row.name, passed: passed ? true : null, looked_at: passed ? looked : "" }];
  });
}

function listFailedChecks(row: CheckRow, rejection: Rejection, known: readonly CheckResult[]): CheckResult[] {
  const own = { passed: false, looked_at: toLookedAt(rejection) };
  if (row.name !== "rule") return [{ name: row.name, ...own }];
  return known.some(({ passed }) => passed === false) ? [...known] : [...known, { name: rejection.rule, ...own }];
}

function toLookedAt({ rule, values, message, violations }: Rejection): string {
  if (violations.length > 0) return violations.map((violation) => violation.message).join(" ");
  const { looked } = findRule(rule);
  return looked === undefined ? message : values.map((each) => fill(looked, each)).join("; ");
}
