// Whether a scenario plays: it is played once, in the running sandbox where it can be, otherwise in one made for it.
import { faultsOf } from "./check/index.ts";
import { SandboxFault } from "./client.ts";
import { checkFolders } from "./fixture-folder.ts";
import { load } from "./load.ts";
import { display } from "./report/reporter.ts";
import type { Loaded, Result } from "./scenario.ts";
import { type Choice, opened, playIn } from "./target.ts";

interface Trial {
  faults: readonly string[];
  /** It says nothing of the scenario, as this sandbox can't play it. */
  isVoid?: boolean;
}

/** Why it does not play, each with its place in the file; empty when it does. */
export async function whyNotPlayed(file: string, choice: Choice): Promise<readonly string[]> {
  const { url: _, ...own } = choice;
  const there = await trialOf(file, choice);
  return there.isVoid && choice.url !== undefined ? (await trialOf(file, own)).faults : there.faults;
}

async function trialOf(file: string, choice: Choice): Promise<Trial> {
  const read = load(file);
  const { loaded } = read;
  if (!loaded) return { faults: faultsOf(read) };
  try {
    const application = await opened(choice);
    try {
      const known = { ...application.known, folders: await checkFolders([loaded], choice.folders) };
      const faults = faultsOf(read, known);
      return faults.length > 0
        ? { faults }
        : trialIn(await playIn(application, loaded, choice, () => undefined), loaded);
    } finally {
      await application.close();
    }
  } catch (reason) {
    if (!(reason instanceof SandboxFault)) throw reason;
    return { faults: [`${file}: ${reason.message}`], isVoid: true };
  }
}

function trialIn({ file, skipped, trouble, steps }: Result, { positionOf }: Loaded): Trial {
  const outside = skipped ?? trouble;
  if (outside !== undefined) return { faults: [`${file}: ${outside}`], isVoid: true };
  const faults = steps.flatMap(({ name, differences }, index) =>
    differences.map(({ path, wanted, actual }) => {
      const { line, column } = positionOf(["steps", index]);
      const what = path === "" ? "" : `${path} `;
      return `${file}:${line}:${column}: ${name}: ${what}wanted ${display(wanted)}, came ${display(actual)}`;
    }),
  );
  return { faults };
}
