// `sandbox check log`: checks the requests in a world's log for mistakes of the programs that sent them.
import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import { strictOption } from "../check-options.ts";
import { createClient } from "../client.ts";
import type { Call } from "../command.ts";
import { checkReportOption, openCheckReport } from "../reports.ts";

async function checkLog(call: Call): Promise<number> {
  const write = openCheckReport(call);
  const { ask, control } = createClient(call.given);
  const { createReport } = await import("../../verdict/report/index.ts");
  const { items, ...document } = await ask(control.GET("/_sandbox/lint"));
  const strict = call.given.flag("strict");
  return write(
    createReport({ name: "sandbox check log", results: items, notes: describeLog(document), strict, document }),
  );
}

const describeLog = ({ requests, dropped }: Omit<Schemas["Lint"], "items">): string[] => [
  `${count(requests, "request")} checked.`,
  ...(dropped.count > 0
    ? [`${count(dropped.count, "older entry is", "older entries are")} no longer in the log and could not be checked.`]
    : []),
  "`sandbox check -- npm test` also tests lost responses, duplicate webhooks and other failures.",
];

export const lint: Readonly<Record<string, Answer>> = {
  "check log": { options: [strictOption, checkReportOption], run: checkLog },
};
