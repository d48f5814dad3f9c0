// Why a request or an act was refused: the checks with what they looked at, what the rule rests on, and the smallest change that works,
// found by trying it on copies of the world as it was at that moment.
import type { Schemas } from "../../contract/schemas.ts";
import type { HistoryPort, RequestsPort, WorldsPort } from "../app/application.ts";
import type { Looked } from "../domain/kernel/checks.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import { TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import { readSentBody } from "../http/changed-request.ts";
import { type Exchange, isRouted, type Rejection, type Routed } from "../http/exchange.ts";
import { readRejection, restoreExchange } from "../http/restored-exchange.ts";
import type { LogEntry } from "../log/view.ts";
import type { World } from "../world/state/world.ts";
import { describe } from "./described.ts";
import type { WhyContext } from "./entries.ts";
import { offer } from "./offer.ts";
import { type CheckRow, listRows } from "./rows.ts";
import { type Basis, fill, type RejectedRequest } from "./rule.ts";
import { findChange, findRule } from "./solve.ts";
import { TRIGGER, type Trying, tryOn } from "./trial.ts";

type WhyRefusal = Schemas["WhyRefusal"];
type WhyBasis = Schemas["WhyBasis"];

/** Of what has an id, refused or not. */
export type Explaining = WhyContext<Trying & HistoryPort>;

/** `world`: that of the entry. Undefined when it was not refused. */
export async function explainRefusal(
  entry: LogEntry,
  world: World,
  application: Trying & HistoryPort,
): Promise<WhyRefusal | undefined> {
  const rejection = readRejection(entry);
  if (!rejection) return undefined;
  const { seq, at } = entry;
  const exchange = restoreExchange(entry, world);
  // Without the past nothing can be tried, and the explanation says so.
  const { copy, note } = await createCopies(world, { seq, at }, application);
  const view = copy?.() ?? world;
  const subject = { exchange, world, application };
  const trial = copy && isRouted(exchange) && canBeTried(exchange, application) ? { copy, exchange } : undefined;
  // Unchanged, to hear from the rule what it looked at.
  const first = trial && (await tryOn(trial.copy(), trial.exchange, { set: {}, first: [] }, application));
  // Another rule than in the log: the past could not be had quite as it was.
  const known = first?.rejection?.rule === rejection.rule ? first.looked : [];
  const question = toQuestion(subject, exchange, rejection, view);
  const solved = await findChange(question, async (change) => {
    if (!trial) return question;
    const tried = await tryOn(trial.copy(), trial.exchange, change, application);
    return tried.rejection && toQuestion(subject, tried.exchange, tried.rejection, view);
  });
  return {
    status: rejection.status === 0 ? null : rejection.status,
    code: rejection.code,
    message: rejection.message,
    rule: rejection.rule,
    checks: listChecks(exchange, rejection, known, application),
    rests_on: listBasis(exchange, rejection, subject),
    ...(solved ? { smallest: await offer(solved, trial?.exchange, { seq, at, world }, application) } : {}),
    ...(note === undefined ? {} : { note }),
  };
}

/** Copies of the world at that moment; a note where it is no longer kept. */
async function createCopies(
  world: World,
  moment: { seq: number; at: Instant },
  { history }: HistoryPort,
): Promise<{ copy?: () => World; note?: string }> {
  try {
    return { copy: await history.createPastViews(world, moment) };
  } catch (reason) {
    if (!(reason instanceof DomainError)) throw reason;
    return { note: `${reason.message} So the checks are told without values, and no change was tried.` };
  }
}

/** Documents are not tried again; a fault is no rule, and it passes by itself. */
function canBeTried({ route: { id, control }, fault }: Routed, { operations, acts }: RequestsPort): boolean {
  if (fault) return false;
  return control
    ? id === TRIGGER || acts.all().some((act) => act.id === id)
    : operations.has(id) || id === TOKEN_OPERATION;
}

interface Subject extends WhyContext<RequestsPort> {
  exchange: Exchange;
}

/** `tried`: the request as it was, or as it was changed for a trial. */
function toQuestion(
  { exchange: original, world, application }: Subject,
  tried: Exchange,
  rejection: Rejection,
  view: World,
): RejectedRequest {
  const control = tried.route?.control ?? false;
  const { findSchema } = describe(tried.route?.id, { world, control }, application);
  return {
    rejection,
    operation: tried.route?.id,
    isAct: control,
    body: readSentBody(tried),
    query: tried.query,
    path: tried.params,
    headers: tried.headers,
    now: original.at,
    scopes: original.scopes ?? [],
    clientId: original.key?.id,
    schemaAt: findSchema,
    read: (question) => view.read(original.at, question),
  };
}

/** Of a body with many violations the first few are enough to find the member. */
const MOST_MEMBERS = 3;

function listBasis(
  { route }: Exchange,
  { rule, status, violations }: Rejection,
  { world, application }: WhyContext<WorldsPort & RequestsPort>,
): WhyBasis[] {
  const { operation, getWords } = describe(route?.id, { world, control: route?.control ?? false }, application);
  const register = application.assumptions.all(world);
  const response = operation?.responses.find((each) => each.status === String(status));
  const members = violations.slice(0, MOST_MEMBERS).flatMap(({ location }): WhyBasis[] => {
    const text = getWords(location);
    return text ? [{ kind: "specification", id: `${route?.id} ${location.join(".")}`, text: onOneLine(text) }] : [];
  });
  return [
    ...findRule(rule).rests_on.flatMap((basis) => readBasis(basis, register)),
    ...(response?.description
      ? [{ kind: "specification" as const, id: `${route?.id} ${status}`, text: onOneLine(response.description) }]
      : []),
    ...members,
  ];
}

const onOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** An assumption in the words of the value that is in force. */
function readBasis(basis: Basis, register: readonly Schemas["Assumption"][]): WhyBasis[] {
  if (basis.kind !== "assumption") return [basis];
  const entry = register.find(({ id }) => id === basis.id);
  if (!entry) return [];
  const { id, value, chosen, alternatives } = entry;
  const text = alternatives.find((each) => each.value === value)?.meaning ?? chosen;
  return [{ kind: "assumption", id, value, text: onOneLine(text) }];
}

// The checks of a request in the order of its steps, each with what it looked at. The checks of a rule of the service are told by that
// rule itself, when the request is tried again on a copy of the world.

const includes = (row: CheckRow, rule: string): boolean =>
  row.rules.some((name) => (name.endsWith("*") ? rule.startsWith(name.slice(0, -1)) : name === rule)) ||
  (rule === "fault-injected" && row.name.startsWith("fault") && row.rules.length === 0);

/** `known`: what the rule of the service says that it looked at. */
function listChecks(
  exchange: Exchange,
  rejection: Rejection,
  known: readonly Looked[],
  application: RequestsPort,
): Looked[] {
  const rows = listRows(exchange).map((row) => ({ row, looked: row.looked(exchange, application) }));
  // The check that refused; all before it passed, and none after it was made.
  const stood = rows.findIndex(
    ({ row, looked }) => includes(row, rejection.rule) && (rejection.rule !== "fault-injected" || looked !== undefined),
  );
  return rows.flatMap(({ row, looked }, index): Looked[] => {
    if (index === stood) return compare(row, rejection, known);
    if (looked === undefined) return [];
    const passed = stood < 0 || index < stood;
    return [{ name: row.name, passed: passed ? true : null, looked_at: passed ? looked : "" }];
  });
}

function compare(row: CheckRow, rejection: Rejection, known: readonly Looked[]): Looked[] {
  const own = { passed: false, looked_at: toLookedAt(rejection) };
  if (row.name !== "rule") return [{ name: row.name, ...own }];
  return known.some(({ passed }) => passed === false) ? [...known] : [...known, { name: rejection.rule, ...own }];
}

function toLookedAt({ rule, values, message, violations }: Rejection): string {
  if (violations.length > 0) return violations.map((violation) => violation.message).join(" ");
  const { looked } = findRule(rule);
  return looked === undefined ? message : values.map((each) => fill(looked, each)).join("; ");
}
