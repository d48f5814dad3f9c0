// sandbox completion: prints the completion script for a shell, and the candidates that the script requests.
import { RootCommand, script } from "@bomb.sh/tab";
import { rejectChoice } from "../../engine/settings.ts";
import type { Call, Command, Group } from "../command.ts";
import { Misuse } from "../failure.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"];

export const completion: Command = {
  name: "completion",
  summary: "Print the completion script for a shell.",
  arguments: [["<shell>", `${SHELLS.slice(0, -1).join(", ")} or ${SHELLS.at(-1)}.`]],
  options: [],
  epilogue: '  eval "$(sandbox completion bash)"\n  sandbox completion fish | source',
  run: printScript,
};

async function printScript({ args: [shell = ""] }: Call): Promise<undefined> {
  const reason = rejectChoice(shell, SHELLS);
  if (reason !== undefined) throw new Misuse(`The shell ${reason}`);
  // The script is not installed, because each shell has a different folder for it.
  script(shell, "sandbox", "sandbox");
}

/** Prints the commands, options and choices that can complete the last word, which may be empty. */
export function printCandidates(entries: readonly (Command | Group)[], words: readonly string[]): void {
  const root = new RootCommand();
  for (const entry of entries) {
    root.command(entry.name, entry.summary);
    if (!("members" in entry)) {
      addOptions(root, entry.name, entry);
      continue;
    }
    for (const member of entry.members) {
      const path = `${entry.name} ${member.name}`;
      root.command(path, member.summary);
      addOptions(root, path, member);
      // The name of the group alone runs its default command.
      if (member.name === entry.default) addOptions(root, entry.name, member);
    }
  }
  root.parse([...words]);
}

function addOptions(root: RootCommand, path: string, { options }: Command): void {
  const described = root.commands.get(path);
  for (const { name, kind, meaning, choices = [] } of options) {
    if (kind === "flag") described?.option(name, meaning);
    else
      described?.option(name, meaning, (complete) => {
        for (const choice of choices) complete(choice, "");
      });
  }
}
