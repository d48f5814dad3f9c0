// sandbox check coverage: reports which parts of the service a program has used, from the log of a sandbox or from a file.

import { excludeByHand, readLogAfter } from "../../client/log-after.ts";
import { readBounded } from "../../platform/bounded-file.ts";
import { profileOptions, readProfile, readVerdict } from "../check-options.ts";
import { createClient } from "../client.ts";
import { type Call, type Command, clientOptions, option } from "../command.ts";
import { Misuse, readInput, rejectUnknown } from "../failure.ts";
import { checkReportOption, openCheckReport } from "../reports.ts";
import type { LogEntry } from "../terminal/log-line.ts";

export const coverage: Command = {
  name: "coverage",
  summary: "Report which parts of the service a program has used.",
  arguments: [
    [
      "[axis...]",
      "Only these axes, with all their gaps: operations, statuses, codes, values, transitions, webhooks, drills, assumptions.",
    ],
  ],
  options: [
    option.list("min", "axis=percent", "Exit with code 1 if an axis has less, such as operations=80. Repeatable."),
    option.text("file", "FILE", "Read the output of `sandbox logs --json --limit 1000` instead of a running sandbox."),
    option.text("verdict", "FILE", "Count the checks of a verdict that `sandbox check --report json=FILE` wrote."),
    ...profileOptions,
    checkReportOption,
    ...clientOptions,
  ],
  epilogue:
    "Coverage is read from the log of a world and of the worlds that the library created for it.\nResponses that a fault produced do not count.\n\nWith --profile the report lists what a profile still requires, and a command for each\ngap. The results of checks are read from --verdict.\n\n  sandbox check coverage --min operations=80\n  sandbox check coverage --profile reseller --verdict verdict.json",
  run: showCoverage,
};

async function showCoverage(call: Call): Promise<number> {
  const { args, given } = call;
  const write = openCheckReport(call);
  const profile = await readProfile(given);
  const { AXES, measureCoverage, reportCoverage } = await import("../../verdict/covered/index.ts");
  const minimums = given.list("min").map(parseMinimum);
  const named: readonly string[] = AXES;
  const unknown = [...args, ...minimums.map(({ axis }) => axis)].find((axis) => !named.includes(axis));
  if (unknown !== undefined) throw rejectUnknown("There is no axis", unknown, named);
  const { items, dropped, flips } = await readLog(given);
  const { patchDocument } = await import("../../sandbox.ts");
  const { checks, isLinter, readResults } = await import("../../verdict/index.ts");
  const results = readVerdict(given, "verdict", readResults) ?? [];
  const requests = items.filter((each) => each.kind === "request");
  const { judgeProfile, listSuccessfulOperations } = await import("../../verdict/profiles/index.ts");
  const judged = profile && judgeProfile(profile, listSuccessfulOperations(requests), results);
  const drills = checks.filter((check) => !isLinter(check)).map(({ id }) => id);
  const axes = measureCoverage(items, {
    // Overridden assumptions change the statuses and values of the API description.
    document: patchDocument(flips),
    drills,
    exercised: results.flatMap(({ id, outcome }) => (outcome === "not-exercised" ? [] : [id])),
  });
  const wanted = args.length > 0 ? axes.filter(({ axis }) => args.includes(axis)) : axes;
  // An axis without coverage counts as 0 %.
  const missedMinimums = minimums.flatMap(({ axis, percent: wanted }) => {
    const percent = axes.find((each) => each.axis === axis)?.percent ?? 0;
    return percent < wanted ? [{ axis, wanted, percent }] : [];
  });
  return write(reportCoverage(wanted, { minimums, missedMinimums, dropped, profile: judged, all: args.length > 0 }));
}

function parseMinimum(text: string): { axis: string; percent: number } {
  const [, axis = "", percent = ""] = /^([^=]+)=(\d{1,3})$/.exec(text) ?? [];
  if (axis !== "" && Number(percent) <= 100) return { axis, percent: Number(percent) };
  throw new Misuse(`--min ${text} is not axis=percent. Write it as operations=80.`);
}

/** Reads the log. `flips` are the overridden assumptions of its sandbox, as id=value. */
async function readLog(given: Call["given"]) {
  const file = given.text("file");
  // A file does not contain the assumptions, so the defaults apply.
  if (file !== undefined) return { items: excludeByHand(readRecordedLog(file)), dropped: 0, flips: [] as string[] };
  const { ask, control } = createClient(given);
  const { items: register } = await ask(control.GET("/_sandbox/assumptions"));
  const flips = register.flatMap(({ id, value, default: byDefault }) =>
    value === byDefault ? [] : [`${id}=${value}`],
  );
  const { items, dropped } = await readLogAfter(control, 0, { run: true });
  return { items: excludeByHand(items), dropped: dropped.count, flips };
}

/** Reads the items of the document that `logs --json` prints. */
function readRecordedLog(file: string): LogEntry[] {
  const read = () => {
    const { items } = JSON.parse(readBounded(file, { most: 512 * 1024 * 1024 })) as { items?: LogEntry[] };
    if (Array.isArray(items)) return items;
    throw new Error("it has no list of items");
  };
  return readInput(read, `--file ${file}`, `Write it with \`sandbox logs --json --limit 1000 > ${file}\`.`);
}
