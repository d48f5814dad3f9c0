// Tests whether a scenario plays, in the running sandbox if possible, and otherwise in a new one.
import { findProblems } from "./check/index.ts";
import { SandboxUnreachable } from "./client.ts";
import { load } from "./load.ts";
import { display } from "./report/reporter.ts";
import type { Loaded, Result } from "./scenario.ts";
import { type Choice, playIn, withApplication } from "./target.ts";

interface Trial {
  problems: readonly string[];
  /** Whether the trial has no result, because this sandbox can't play the scenario. */
  isVoid?: boolean;
}

/** Returns why the scenario does not play, with positions in the file; empty if it plays. */
export async function explainNotPlayed(file: string, choice: Choice): Promise<readonly string[]> {
  const { url: _, ...own } = choice;
  // The sandbox of the recording is tried first, because it has the settings that the scenario needs.
  const there = await runTrial(file, choice);
  return there.isVoid && choice.url !== undefined ? (await runTrial(file, own)).problems : there.problems;
}

async function runTrial(file: string, choice: Choice): Promise<Trial> {
  const read = load(file);
  const { loaded } = read;
  if (!loaded) return { problems: findProblems(read) };
  try {
    return await withApplication(choice, [loaded], async (application) => {
      const problems = findProblems(read, application.known);
      if (problems.length > 0) return { problems };
      return toTrial(await playIn(application, loaded, choice, () => undefined), loaded);
    });
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
