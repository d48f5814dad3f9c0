// What the log of a world shows of the programs that called it, in the words of a verdict.
import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import type { Call } from "../command.ts";

async function judged({ items }: Schemas["Lint"], { terminal }: Call): Promise<readonly string[]> {
  const { lintLines } = await import("../../verdict/index.ts");
  return lintLines(items, terminal);
}

function about({ requests, dropped }: Schemas["Lint"]): string {
  const older = `${count(dropped.count, "older entry", "older entries")} of the log had to make room, and ${dropped.count === 1 ? "does" : "do"} not count. `;
  return `${count(requests, "request")} judged. ${dropped.count > 0 ? older : ""}Lost answers, webhooks that come twice and the like are tried by \`sandbox check -- npm test\`.`;
}

export const lint: Readonly<Record<string, Answer>> = {
  "check log": {
    show: judged,
    say: about,
    code: ({ items }: Schemas["Lint"]) => (items.some(({ outcome }) => outcome === "fail") ? 1 : 0),
  },
};
