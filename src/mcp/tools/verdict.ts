// verdict: what `sandbox check` found out about a program, and what each of its checks teaches. A tool runs no program: the command
// that does is in the answer.

import type { Schemas } from "../../client/control.ts";
import { SandboxError } from "../../client/sandbox-error.ts";
import tools from "../../contract/generated/tools.json" with { type: "json" };
import { formatCommand } from "../../platform/format-command.ts";
import { suggest } from "../../platform/nearest.ts";
import { type Check, checks, explained } from "../../verdict/index.ts";
import { type Block, data } from "../answer.ts";
import { callOf, type Session, type Tool, ToolRejection } from "../tool.ts";

const EXAMPLE = { action: "explain", check: "RETRY-01" };

interface Question {
  action: "list" | "read" | "lint" | "checks" | "explain";
  verdict?: string;
  check?: string;
}

export const verdict: Tool = {
  name: "verdict",
  title: "Judge a program",
  description:
    "What a program does when things go wrong: reads the verdicts that `sandbox check --keep` left in the world, result by result with evidence; judges the log of the world (lint), which needs no run of the program; lists the checks; explains one, with what to write instead.",
  input: tools.verdict.input,
  actions: tools.verdict,
  example: {},
  examples: [EXAMPLE],
  async run({ action, verdict: id, check }: Question, session) {
    // From this version's own table: no sandbox is needed to teach.
    if (action === "checks") return checks.map(({ id: name, level, title }) => `${name} (${level}): ${title}`);
    if (action === "explain") return explained(checkCalled(check)).split("\n");
    if (action === "lint") return judgedByLog(session);
    return action === "read" ? readOne(session, id, check) : listAll(session);
  },
};

function checkCalled(id: string | undefined): Check {
  const found = checks.find((check) => check.id === id?.toUpperCase());
  if (found) return found;
  const names = checks.map((check) => check.id);
  const wrong = id === undefined ? "Which check?" : `There is no check ${JSON.stringify(id)}.${suggest(id, names)}`;
  throw new ToolRejection(wrong, [callOf("verdict", { action: "checks" }), callOf("verdict", EXAMPLE)]);
}

const formatCheckCommand = ({ url }: Session): string => formatCommand(`check --url ${url} --keep -- npm test`);

async function listAll(session: Session): Promise<Block[]> {
  const { items } = await session.ask((control) => control.GET("/_sandbox/verdicts"));
  if (items.length === 0)
    return [
      `No verdict is kept in world ${session.world()}. Let the program be judged, with the command that runs it; the world default keeps what was found:`,
      formatCheckCommand(session),
      ...(session.world() === "default" ? [] : [`Then: ${callOf("world", { action: "use", id: "default" })}`]),
    ];
  return [
    "The verdicts of this world, newest first:",
    data(items),
    `Read one: ${callOf("verdict", { action: "read", verdict: items[0]?.id })}`,
  ];
}

type KeptVerdict = Schemas["KeptVerdict"];

async function readOne(session: Session, id: string | undefined, check: string | undefined): Promise<Block[]> {
  const { id: found, verdict: read } = await verdictNamed(session, id);
  // A program that could not be judged has no results to show.
  if (read.no_verdict) return [`Verdict ${found} says nothing of the program:`, data(read.no_verdict)];
  if (check !== undefined) return ofCheck(found, read.results, checkCalled(check).id);
  const { counts, command, at, results } = read;
  const open = results.find(isOpen);
  return [
    `Verdict ${found}, of ${at}:`,
    data({ command, counts }),
    ...notPassed(results, ({ id: name, outcome, says, add }) => ({ check: name, outcome, says, add })),
    ...(open ? [`Its evidence: ${callOf("verdict", { action: "read", verdict: found, check: open.id })}`] : []),
  ];
}

type LintResult = Schemas["LintResult"];

const isOpen = ({ outcome }: Pick<LintResult, "outcome">): boolean => outcome !== "pass";

/** What is passed is counted; what is not is shown. */
function notPassed<R extends LintResult>(results: readonly R[], show: (result: R) => object): Block[] {
  const lines = results.filter(isOpen).map(show);
  return lines.length > 0 ? ["What is not passed:", data(lines)] : ["Every check is passed."];
}

async function judgedByLog(session: Session): Promise<Block[]> {
  const { requests, items } = await session.ask((control) => control.GET("/_sandbox/lint"));
  return [
    `By the log of world ${session.world()}; requests of programs in it: ${requests}.`,
    ...notPassed(items, ({ id: check, outcome, says, evidence }) => ({ check, outcome, says, evidence })),
    `What a check teaches: ${callOf("verdict", { action: "explain", check: items.find(isOpen)?.id ?? EXAMPLE.check })}`,
    "What goes wrong on purpose is tried by a verdict:",
    formatCheckCommand(session),
  ];
}

/** The newest unless one is named. */
async function verdictNamed({ ask, world }: Session, id: string | undefined): Promise<KeptVerdict> {
  const newest = async () => (await ask((control) => control.GET("/_sandbox/verdicts"))).items[0]?.id;
  const wanted = id ?? (await newest());
  const otherwise = [callOf("verdict", {}), callOf("world", { action: "use", id: "default" })];
  if (wanted === undefined) throw new ToolRejection(`No verdict is kept in world ${world()}.`, otherwise, "NOT_FOUND");
  const params = { path: { verdictId: wanted } };
  return ask((control) => control.GET("/_sandbox/verdicts/{verdictId}", { params })).catch((error: unknown) => {
    // Any other failure keeps the sandbox's words.
    if (!(error instanceof SandboxError) || error.status !== 404) throw error;
    const sentence = `World ${world()} has no verdict ${JSON.stringify(wanted)}; the last ten are kept.`;
    throw new ToolRejection(sentence, otherwise, "NOT_FOUND");
  });
}

function ofCheck(verdictId: string, results: KeptVerdict["verdict"]["results"], check: string): Block[] {
  const result = results.find(({ id }) => id === check);
  if (!result) {
    const judged = results.map(({ id }) => callOf("verdict", { action: "read", verdict: verdictId, check: id }));
    throw new ToolRejection(`Verdict ${verdictId} did not judge ${check}.`, judged.slice(0, 3), "NOT_FOUND");
  }
  const explanation = callOf("verdict", { action: "explain", check });
  return [`${check}: ${result.outcome}.`, data(result), `What it teaches: ${explanation}`];
}
