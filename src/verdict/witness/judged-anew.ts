// Judges a program anew by what a sandbox has of its runs. The judges are those of a verdict; only the runs are read instead of made.
import type { Server } from "../../client/control.ts";
import { type BooksFigures, type SoakFigures, whyUnsigned } from "../certificate/index.ts";
import { checks } from "../checks/index.ts";
import { judgeRuns } from "../index.ts";
import type { Message } from "../observed.ts";
import { checksOf, type Profile, profileOf, profiles } from "../profiles/index.ts";
import type { Verdict } from "../result.ts";
import { booksWitnessed, soakWitnessed } from "./beside-runs.ts";
import { replayed } from "./replayed.ts";
import {
  type Alike,
  aroundRuns,
  type CertificateInput,
  type Made,
  NotWitnessed,
  observedOf,
  readRun,
} from "./run-in-world.ts";

interface JudgedAnew {
  verdict: Verdict;
  fixtureHash: string;
  soak: SoakFigures | undefined;
  books: BooksFigures | undefined;
  /** The profile does not come with the sandbox. */
  isOwn: boolean;
  /** A client has reported what receivers answered. */
  isRelayed: boolean;
}

/** Throws `NotWitnessed`, also where something of the profile was not shown. */
export async function judgedAnew(input: CertificateInput, server: Server): Promise<JudgedAnew> {
  const { runs, command, seed, own } = input;
  const profile = profileIn(input);
  // One world shown twice would count for two runs.
  mustBeApart(input);
  const [control] = runs.filter(({ name }) => name === "control");
  if (!control) throw new NotWitnessed("None of the runs is one without a drill (`control`). Show all runs.");
  const around = await aroundRuns(server, control.world);
  const alike = allMadeAlike(control.world, seed);
  const verdict = await judgeRuns(
    { seed, command, profile, checks: checks.filter(({ id }) => checksOf(profile).includes(id)), jobs: 1 },
    {
      about: around.about,
      run: replayed({
        runs,
        async read(claimed) {
          const run = await readRun(server, claimed);
          alike(claimed.world, run.made, run.seen.messages);
          return run;
        },
        observed: (run) => observedOf(run, around),
      }),
    },
  );
  const why = whyUnsigned(verdict);
  if (why) throw new NotWitnessed(`${why} ${whatIsOpen(verdict)}`);
  const found = { verdict, isOwn: own !== undefined };
  const beside = { profile, server, alike };
  const soak = profile.soak ? await soakWitnessed(input, beside) : undefined;
  const books = profile.books ? await booksWitnessed(input, beside) : undefined;
  return { ...found, soak, books, isRelayed: alike.isRelayed(), fixtureHash: alike.made()?.fixture.hash ?? "" };
}

/** A name that people know stands for what the sandbox itself has under it. */
function profileIn({ profile: name, own }: CertificateInput): Profile {
  const shipped = profiles.find((each) => each.name === name);
  if (shipped && own) throw new NotWitnessed(`A profile ${name} comes with the sandbox. Give your own another name.`);
  if (own) {
    // Hashed here: a client's own hash would be his word.
    const made = profileOf(name, own);
    const known = checks.map(({ id }) => id as string);
    const stranger = checksOf(made).find((id) => !known.includes(id));
    if (stranger) throw new NotWitnessed(`The profile ${name} names the check ${stranger}, which there is not.`);
    return made;
  }
  if (shipped) return shipped;
  const names = profiles.map((each) => each.name).join(", ");
  throw new NotWitnessed(`No profile ${name} comes with the sandbox, which has ${names}.`);
}

function mustBeApart({ runs, soak, books }: CertificateInput): void {
  const worlds = [...runs.map(({ world }) => world), ...[soak, books].flatMap((each) => each?.world ?? [])];
  const twice = worlds.find((world, at) => worlds.indexOf(world) !== at);
  if (twice !== undefined) throw new NotWitnessed(`World ${twice} is named twice. Each run has a world of its own.`);
}

/** All worlds begin with the same, or the runs can't be held against each other. */
function allMadeAlike(first: string, seed: string): Alike {
  let before: Made | undefined;
  let isRelayed = false;
  const check = (world: string, made: Made, messages: readonly Message[]) => {
    isRelayed ||= messages.some(({ deliveries }) => deliveries.some(wasRelayed));
    if (made.seed !== seed) throw new NotWitnessed(`World ${world} has the seed ${made.seed}, and not ${seed}.`);
    before ??= made;
    if (JSON.stringify(made) !== JSON.stringify(before))
      throw new NotWitnessed(
        `World ${world} was made otherwise than ${first}: fixture, seed or changed assumptions differ. Run \`sandbox certify\` again.`,
      );
  };
  return Object.assign(check, { made: () => before, isRelayed: () => isRelayed });
}

const wasRelayed = ({ attempts }: Message["deliveries"][number]): boolean => attempts.some(({ relayed }) => relayed);

const MOST_GAPS = 5;

function whatIsOpen({ profile, no_verdict, results }: Verdict): string {
  if (no_verdict) return no_verdict.says;
  const gaps = (profile?.gaps ?? []).map(({ what, says }) => `${what}: ${says}`);
  const failed = results.filter(({ outcome }) => outcome === "fail").map(({ id, says }) => `${id}: ${says}`);
  const all = [...new Set([...failed, ...gaps])];
  return [...all.slice(0, MOST_GAPS), ...(all.length > MOST_GAPS ? ["…"] : [])].join("; ");
}
