// Whether a scenario plays: it is played once, in the running sandbox where it can be, otherwise in one made for it.
import { findProblems } from "./check/index.ts";
import { SandboxUnreachable } from "./client.ts";
import { checkFolders } from "./fixture-folder.ts";
import { load } from "./load.ts";
import { display } from "./report/reporter.ts";
import type { Loaded, Result } from "./scenario.ts";
import { type Choice, openApplication, playIn } from "./target.ts";

interface Trial {
  problems: readonly string[];
  /** It says nothing of the scenario, as this sandbox can't play it. */
  isVoid?: boolean;
}

/** Why it does not play, each with its position in the file; empty when it does. */
export async function explainNotPlayed(file: string, choice: Choice): Promise<readonly string[]> {
  const { url: _, ...own } = choice;
  // In the sandbox where it was recorded, since that has what the story needs.
  const there = await runTrial(file, choice);
  return there.isVoid && choice.url !== undefined ? (await runTrial(file, own)).problems : there.problems;
}

async function runTrial(file: string, choice: Choice): Promise<Trial> {
  const read = load(file);
  const { loaded } = read;
  if (!loaded) return { problems: findProblems(read) };
  try {
    const application = await openApplication(choice);
    try {
      const known = { ...application.known, folders: await checkFolders([loaded], choice.folders) };
      const problems = findProblems(read, known);
      return problems.length > 0
        ? { problems }
        : toTrial(await playIn(application, loaded, choice, () => undefined), loaded);
    } finally {
      await application.close();
    }
  } catch (reason) {
    if (!(reason instanceof SandboxUnreachable)) throw reason;
    return { problems: [`${file}: ${reason.message}`], isVoid: true };
  }
}

function toTrial({ file, skipped, trouble, steps }: Result, { locate: positionOf }: Loaded): Trial {
  const outside = skipped ?? trouble;
  if (outside !== undefined) return { problems: [`${file}: ${outside}`], isVoid: true };
  const problems = steps.flatMap(({ name, differences }, index) =>
    differences.map(({ path, wanted, actual }) => {
      const { line, column } = positionOf(["steps", index]);
      const what = path === "" ? "" : `${path} `;
      return `${file}:${line}:${column}: ${name}: ${what}wanted ${display(wanted)}, came ${display(actual)}`;
    }),
  );
  return { problems };
}
