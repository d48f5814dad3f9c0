// The result of a soak and its report: a result for each difference, and one for each kind of record without a difference.
import { count } from "../../platform/count.ts";
import { formatMs } from "../../platform/duration-text.ts";
import type { NoVerdict } from "../program.ts";
import { type CheckReport, createReport, createResult, type ReportResult } from "../report/check-report.ts";
import type { SandboxDescription } from "../worlds.ts";
import type { Scope } from "./compare.ts";
import type { FoundDifference } from "./explain-difference.ts";
import type { Planning } from "./plan.ts";
import type { SoakRun } from "./run-plan.ts";

export interface SoakOutcome extends Readonly<SoakRun["performed"]> {
  /** The number of compared records, by kind. */
  compared: Readonly<Record<string, number>>;
  /** Fields that the probe prints and the service does not have. */
  not_compared: readonly string[];
  differences: readonly FoundDifference[];
  no_verdict: NoVerdict | null;
}

/** The result of a soak. `--report json` prints it, so its fields are a contract. */
export interface Soak extends SoakOutcome, Pick<Planning, "seed" | "days" | "rate"> {
  version: 1;
  command: readonly string[];
  scope: Scope;
  sandbox: SandboxDescription;
  /** The start on the world's clock. */
  begins: string;
  /** The numbers of the plan's steps that the soak performed. */
  steps: readonly number[];
  /** How often each row of `weather` hit. */
  weather: Readonly<Record<string, number>>;
  calls: number;
  deliveries: number;
  /** The command that repeats the soak. */
  again: string;
  /** The end in real time. */
  at: string;
  took_ms: number;
  exit_code: number;
}

export function reportSoak(soak: Soak): CheckReport {
  const { seed, days, took_ms, differences, compared, not_compared, sandbox, at } = soak;
  const alike = Object.entries(compared).filter(([kind]) => !differences.some(({ of }) => of === kind));
  return createReport({
    ...soak,
    name: "sandbox check soak",
    about: [`seed ${seed}`, count(days, "day"), formatMs(took_ms)],
    facts: [
      ["Seed", seed],
      ["Days", String(days)],
      ["Sandbox", `version ${sandbox.version}, fixture ${sandbox.fixture}`],
      ["Ended", at],
    ],
    results: [
      ...differences.map((each) => reportDifference(each, soak.again)),
      ...alike.map(([kind, number]) =>
        createResult({ id: kind, title: `${kind} are as in the sandbox`, outcome: "pass", says: `${number} compared` }),
      ),
    ],
    notes: [
      describeFigures(soak),
      ...(not_compared.length > 0 ? [`Not compared, since no record has it: ${not_compared.join(", ")}.`] : []),
    ],
    version: sandbox.version,
    document: soak,
  });
}

const reportDifference = (
  { of, id, member, kind, says, told, story, why }: FoundDifference,
  again: string,
): ReportResult =>
  createResult({
    id: kind,
    title: [of, id, member].filter(Boolean).join(" "),
    outcome: "fail",
    says,
    evidence: [
      ...(told ? [{ id: told.id, says: `reported it: ${told.says}` }] : []),
      ...story.map(({ id, at, says }) => ({ id, says: at ? `${at} ${says}` : says })),
    ],
    add: why,
    again,
  });

function describeFigures({ business, weather, refused, restarts, calls, deliveries }: Soak): string {
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, each) => all + each, 0);
  const rejected = refused > 0 ? `, ${refused} rejected` : "";
  const world = `${count(sum(business), "act")} of guests and host${rejected}, ${count(sum(weather), "failure")} met`;
  const program = `${count(restarts, "restart")}, ${count(calls, "request")}, ${count(deliveries, "delivery", "deliveries")}`;
  return `${world}, ${program}.`;
}
