// sandbox completion: prints the completion script for a shell.
import { script } from "@bomb.sh/tab";
import { rejectChoice } from "../../engine/settings.ts";
import type { Call, Command } from "../command.ts";
import { COMPLETED_SHELLS } from "../completion-values.ts";
import { Misuse } from "../failure.ts";

export const completion: Command = {
  name: "completion",
  summary: "Print the completion script for a shell.",
  arguments: [["<shell>", `${COMPLETED_SHELLS.slice(0, -1).join(", ")} or ${COMPLETED_SHELLS.at(-1)}.`]],
  options: [],
  epilogue: '  eval "$(sandbox completion bash)"\n  sandbox completion fish | source',
  run: printScript,
};

async function printScript({ args: [shell = ""] }: Call): Promise<undefined> {
  const reason = rejectChoice(shell, COMPLETED_SHELLS);
  if (reason !== undefined) throw new Misuse(`The shell ${reason}`);
  // The script is not installed, because each shell has a different folder for it.
  script(shell, "sandbox", "sandbox");
}
