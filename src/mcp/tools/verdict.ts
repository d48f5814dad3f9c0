// The tool verdict shows the results of `sandbox check`, and explains its checks. It runs no program; its result contains the command
// that does.

import type { Schemas } from "../../client/control.ts";
import { formatCommand } from "../../platform/format-command.ts";
import { suggest } from "../../platform/nearest.ts";
import { type Check, checks, explainCheck } from "../../verdict/index.ts";
import { type Block, markData } from "../result-pages.ts";
import { formatCall, type Session, type ToolDefinition, ToolRejection } from "../tool.ts";

const EXAMPLE = { action: "explain", check: "RETRY-01" };

interface VerdictInput {
  action: "list" | "read" | "lint" | "checks" | "explain";
  verdict?: string;
  check?: string;
}

export const verdict: ToolDefinition = {
  name: "verdict",
  title: "Judge a program",
  description:
    "Shows how a program behaves when requests fail. Reads the verdicts that `sandbox check --keep` stored in the world, with evidence; checks the log of the world without running the program (lint); lists the checks; explains one and what to write instead.",
  example: {},
  examples: [EXAMPLE],
  async run({ action, verdict: id, check }: VerdictInput, session) {
    // The checks are part of this version, so no request is needed.
    if (action === "checks") return checks.map(({ id: name, level, title }) => `${name} (${level}): ${title}`);
    if (action === "explain") return explainCheck(findCheck(check)).split("\n");
    if (action === "lint") return judgeLog(session);
    return action === "read" ? readVerdict(session, id, check) : listVerdicts(session);
  },
};

function findCheck(id: string | undefined): Check {
  const found = checks.find((check) => check.id === id?.toUpperCase());
  if (found) return found;
  const names = checks.map((check) => check.id);
  const wrong = id === undefined ? "Which check?" : `There is no check ${JSON.stringify(id)}.${suggest(id, names)}`;
  throw new ToolRejection(wrong, [formatCall("verdict", { action: "checks" }), formatCall("verdict", EXAMPLE)]);
}

const formatCheckCommand = ({ url }: Session): string => formatCommand(`check --url ${url} --keep -- npm test`);

async function listVerdicts(session: Session): Promise<Block[]> {
  const { items } = await session.ask((control) => control.GET("/_sandbox/verdicts"));
  if (items.length === 0)
    return [
      `World ${session.world()} has no verdict. Check your program with this command, which stores the verdict in the world default:`,
      formatCheckCommand(session),
      ...(session.world() === "default" ? [] : [`Then: ${formatCall("world", { action: "use", id: "default" })}`]),
    ];
  return [
    "The verdicts of this world, newest first:",
    markData(items),
    `Read a verdict: ${formatCall("verdict", { action: "read", verdict: items[0]?.id })}`,
  ];
}

type StoredVerdict = Schemas["KeptVerdict"];

async function readVerdict(session: Session, id: string | undefined, check: string | undefined): Promise<Block[]> {
  const { id: found, verdict: read } = await findVerdict(session, id);
  if (read.no_verdict) return [`Verdict ${found} has no results, because:`, markData(read.no_verdict)];
  if (check !== undefined) return showCheckResult(found, read.results, findCheck(check).id);
  const { counts, command, at, results } = read;
  const open = results.find(isOpen);
  return [
    `Verdict ${found}, of ${at}:`,
    markData({ command, counts }),
    ...listNotPassed(results, ({ id: name, outcome, says, add }) => ({ check: name, outcome, says, add })),
    ...(open ? [`Its evidence: ${formatCall("verdict", { action: "read", verdict: found, check: open.id })}`] : []),
  ];
}

type LintResult = Schemas["LintResult"];

const isOpen = ({ outcome }: Pick<LintResult, "outcome">): boolean => outcome !== "pass";

/** Lists the results that are not passed. */
function listNotPassed<R extends LintResult>(results: readonly R[], show: (result: R) => object): Block[] {
  const lines = results.filter(isOpen).map(show);
  return lines.length > 0 ? ["Checks that did not pass:", markData(lines)] : ["All checks passed."];
}

async function judgeLog(session: Session): Promise<Block[]> {
  const { requests, items } = await session.ask((control) => control.GET("/_sandbox/lint"));
  return [
    `Checked the log of world ${session.world()}, which has ${requests} requests of programs.`,
    ...listNotPassed(items, ({ id: check, outcome, says, evidence }) => ({ check, outcome, says, evidence })),
    `Explain a check: ${formatCall("verdict", { action: "explain", check: items.find(isOpen)?.id ?? EXAMPLE.check })}`,
    "To test the program with injected failures, run:",
    formatCheckCommand(session),
  ];
}

/** Returns the named verdict, or the newest by default. */
async function findVerdict({ ask, world }: Session, id: string | undefined): Promise<StoredVerdict> {
  const verdictId = id ?? (await ask((control) => control.GET("/_sandbox/verdicts"))).items[0]?.id;
  if (verdictId === undefined) {
    const elsewhere = formatCall("world", { action: "use", id: "default" });
    throw new ToolRejection(`World ${world()} has no verdict.`, [formatCall("verdict", {}), elsewhere], "NOT_FOUND");
  }
  return ask((control) => control.GET("/_sandbox/verdicts/{verdictId}", { params: { path: { verdictId } } }));
}

function showCheckResult(verdictId: string, results: StoredVerdict["verdict"]["results"], check: string): Block[] {
  const result = results.find(({ id }) => id === check);
  if (!result) {
    const all = formatCall("verdict", { action: "read", verdict: verdictId });
    throw new ToolRejection(`Verdict ${verdictId} has no result of ${check}.`, [all], "NOT_FOUND");
  }
  const explanation = formatCall("verdict", { action: "explain", check });
  return [`${check}: ${result.outcome}.`, markData(result), `Explanation: ${explanation}`];
}
