// One run of a program without any failure, after which its books are asked for, while its world is still there.
import { prepare, type Where } from "./prepare.ts";
import { type NoVerdict, whyNotJudged } from "./program.ts";
import { runOnce } from "./run.ts";
import type { RunEnvironment } from "./run-environment.ts";

interface BooksOptions<Held> extends Where, Pick<RunEnvironment, "launch" | "webhookUrl" | "limitMs" | "freshFolder"> {
  /** Holds them against the journal. */
  hold(...given: Parameters<NonNullable<RunEnvironment["probe"]>>): Promise<Held>;
}

/** One of the two is there. */
export interface BooksRun<Held> {
  held: Held | undefined;
  /** Where it ran. */
  world: string;
  no_judgement: NoVerdict | undefined;
}

/**
 * Runs the program once, in a world of its own; `hold` is called at the end of the run, before the world is removed.
 */
export async function holdBooks<Held>({ hold, ...options }: BooksOptions<Held>): Promise<BooksRun<Held>> {
  // The place of the probe serves: it too is asked at the end of a run.
  const { environment } = await prepare({ ...options, probe: hold });
  const seen = await runOnce(environment, { name: "books" });
  const no_judgement = whyNotJudged(seen);
  return { held: no_judgement ? undefined : (seen.probe as Held), world: seen.world, no_judgement };
}
