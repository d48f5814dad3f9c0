// `sandbox check log`: checks the requests in a world's log for mistakes of the programs that sent them.
import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import type { CheckReport } from "../../verdict/report/index.ts";
import type { Answer } from "../answer.ts";
import { strictOption } from "../check-options.ts";
import { checkReportOption, openCheckReport } from "../reports.ts";

const checkLog: Answer<CheckReport> = {
  options: [strictOption, checkReportOption],
  check: openCheckReport,
  async prepare(_, { given }, { ask, control }) {
    const { createReport } = await import("../../verdict/report/index.ts");
    const { items, ...document } = await ask(control.GET("/_sandbox/lint"));
    return createReport({
      name: "sandbox check log",
      results: items,
      notes: describeLog(document),
      strict: given.flag("strict"),
      document,
    });
  },
  reports: true,
  async show(found, call) {
    await openCheckReport(call)(found);
    return [];
  },
  code: ({ exit_code }) => exit_code,
};

const describeLog = ({ requests, dropped }: Omit<Schemas["Lint"], "items">): string[] => [
  `${count(requests, "request")} checked.`,
  ...(dropped.count > 0
    ? [`${count(dropped.count, "older entry is", "older entries are")} no longer in the log and could not be checked.`]
    : []),
  "`sandbox check -- npm test` also tests lost responses, duplicate webhooks and other failures.",
];

export const lint: Readonly<Record<string, Answer>> = { "check log": checkLog };
