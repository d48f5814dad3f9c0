// A soak as text: for people, for programs, and for CI servers.
import { count } from "../../platform/count.ts";
import { duration } from "../../platform/duration-text.ts";
import { type Case, junitText } from "../../stories/junit.ts";
import { hang, tailOf, wrap } from "../report/lines.ts";
import type { Look } from "../report/reporter.ts";
import type { FoundDifference, Soak } from "./result.ts";

type SoakReporter = (soak: Soak, look: Look) => string;

/** Differences that are shown to people. */
const MOST = 20;
const COLOURS = { missing: "red", "too many": "red", stale: "yellow", "wrong amount": "red" } as const;
const INDENT = " ".repeat(6);

function spec(soak: Soak, { paint, width }: Look): string {
  const { command, seed, days, took_ms, no_judgement, differences, exit_code, not_compared } = soak;
  const head = `sandbox check soak -- ${command.join(" ")}   ${paint("dim", `seed ${seed}, ${count(days, "day")}, ${duration(took_ms)}`)}`;
  const lines = (text: string) => wrap(text, Math.max(30, width - 2)).map((line) => ` ${line}`);
  const listed = differences.slice(0, MOST).flatMap((each) => differenceLines(each, { paint, width }));
  const more = differences.length - MOST;
  return [
    head,
    ...lines(figuresIn(soak)),
    ...(no_judgement ? [...lines(no_judgement.says), ...tailOf(no_judgement.output)] : []),
    ...listed,
    ...(more > 0 ? [` … and ${more} more; --reporter json has all.`] : []),
    ...(not_compared.length > 0 ? lines(`Not compared, since no record has it: ${not_compared.join(", ")}.`) : []),
    ...(no_judgement ? [] : lines(`${summaryOf(soak)}       exit ${exit_code}`)),
    ...(exit_code === 1 ? [` again: ${soak.again}`] : []),
    "",
  ].join("\n");
}

function differenceLines({ kind, says, told, story, why }: FoundDifference, { paint, width }: Look): string[] {
  const head = ` ${paint(COLOURS[kind], kind.padEnd(12))} `;
  const evidence = [
    told && `told by ${told.id}  ${told.says}`,
    ...story.map(({ id, at, says }) => `${at} ${id}  ${says}`),
  ];
  return [
    ...hang(head, { taken: 14, indent: 14 }, says, width),
    ...evidence.flatMap((line) => (line ? hang(INDENT, { taken: 6, indent: 8 }, line, width) : [])),
    `${INDENT}${why}`,
  ];
}

/** What happened. */
function figuresIn({ business, weather, refused, restarts, calls, deliveries }: Soak): string {
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, each) => all + each, 0);
  const parts = [
    `${count(sum(business), "act")} of guests and host`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    `${count(sum(weather), "failure")} met`,
    count(restarts, "restart"),
    count(calls, "call"),
    count(deliveries, "delivery", "deliveries"),
  ];
  return `${parts.join(", ")}.`;
}

function summaryOf({ compared, differences }: Soak): string {
  const all = Object.entries(compared).map(([kind, number]) => `${number} ${kind.replaceAll("_", " ")}`);
  const kinds = ["missing", "too many", "stale", "wrong amount"] as const;
  const counts = kinds.flatMap((kind) => {
    const number = differences.filter((each) => each.kind === kind).length;
    return number === 0 ? [] : [`${number} ${kind}`];
  });
  const found = counts.length === 0 ? "all as in the sandbox" : counts.join(" · ");
  return `${all.join(", ") || "nothing"}: ${found}`;
}

function junit(soak: Soak): string {
  const { no_judgement, differences, compared, took_ms } = soak;
  const none: Case[] = no_judgement ? [{ name: "the program", error: no_judgement.says }] : [];
  const cases = Object.keys(compared).flatMap((kind): Case[] => {
    const wrong = differences.filter(({ of }) => of === kind);
    if (wrong.length === 0) return [{ name: `${kind} are as in the sandbox` }];
    return wrong.map(({ id, member, says, told, why }) => ({
      name: [kind, id, member].filter(Boolean).join(" "),
      failure: {
        message: says,
        text: [...(told ? [`told by ${told.id}: ${told.says}`] : []), why, `again: ${soak.again}`].join("\n"),
      },
    }));
  });
  return junitText(
    "sandbox check soak",
    [{ name: "soak", classname: "soak", ms: took_ms, cases: [...none, ...cases] }],
    took_ms,
  );
}

/** By the names of --reporter. */
export const soakReporters: Readonly<Record<string, SoakReporter>> = {
  spec,
  json: (soak) => `${JSON.stringify(soak, null, 2)}\n`,
  junit,
};
