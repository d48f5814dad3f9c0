// The options of the commands that run a program against sandboxes, and the profile that one of them names.
import { readBounded } from "../platform/bounded-file.ts";
import type { Profile } from "../verdict/profiles/index.ts";
import { jsonOption, type Option, option, playerOptions } from "./command.ts";
import { Misuse, readInput, rejectUnknown } from "./failure.ts";
import type { Given } from "./options.ts";
import { checkReportOption } from "./reports.ts";
import { configurable, createOwnSandboxOptions } from "./start-settings.ts";

/** Options of `start` that make no sense for the short-lived sandbox of a run, or that the verdict sets itself. */
export const EXCLUDED_OPTIONS = new Set([
  ...["port", "host", "data", "memory", "database", "wait-for", "fresh", "durability", "seed"],
  ...["json", "quiet", "log-bytes", "control-token", "cors"],
  ...["node-url", "public-url", "worlds-in-memory", "metrics-token"],
]);
/** Options that a configuration file may set. `clock` is excluded: a run needs a held clock, otherwise two runs would differ. */
export const configuredForRuns = configurable.filter((name) => !EXCLUDED_OPTIONS.has(name) && name !== "clock");

/** Options for the sandbox of a run. */
export const runOptions: readonly Option[] = createOwnSandboxOptions(EXCLUDED_OPTIONS, {
  clock: {
    default: "anchor",
    meaning: "Hold the clock of each run at this instant; `anchor`: the fixture's own.",
    environment: undefined,
  },
});

export const profileOptions: readonly Option[] = [
  option.text("profile", "NAME", "Judge by a profile, such as reader, reseller or accounting."),
  option.text("profiles", "FILE", "Add profiles from a file in the format of spec/profiles.yaml."),
];

export const strictOption = option.flag("strict", "Fail on warnings and on required checks that were not exercised.");

export const probeOption = option.text(
  "probe",
  "CMD",
  "Shell command that prints the program's state as JSON, such as its bookings.",
);

/** The order is that of the help. */
export const verdictOptions: readonly Option[] = [
  option.list("only", "a,b", "Run only these checks, such as RETRY-01, or groups, such as RETRY."),
  ...profileOptions,
  probeOption,
  strictOption,
  checkReportOption,
  option.text("baseline", "FILE", "Earlier verdict as JSON. Its failures are known and don't fail again."),
  option.flag("keep", "Keep all worlds and show the verdict in the console (until Ctrl-C without --url)."),
  option.text("seed", "N", "Seed for all random choices.", { default: "7" }),
  option.number("jobs", "N", "Parallel runs; default: the number of cores."),
  option.number("timeout", "S", "Time limit of one run in seconds.", { default: 120 }),
  ...playerOptions,
  ...runOptions,
  jsonOption,
];

/** Options that apply to each world of a running sandbox. All other options of `start` are fixed at its start. */
export const WORLD_OPTIONS = new Set(["fixture", "webhook-url", "webhook-events"]);

/** Options that the command for repeating a check sets itself, or that do not affect the result. */
const NOT_REPEATED = new Set([
  ...["only", "profile", "profiles", "seed", "explain", "report", "baseline", "keep", "json"],
  ...["jobs", "timeout", "strict", "control-token", "days", "steps", "shrink", "out", "force", "budget"],
  "option",
]);

/** Returns the options as the user typed them, for the command that repeats a check or a soak. */
export function listRepeatedOptions(given: Given, options: readonly Option[] = verdictOptions): string[] {
  return options
    .filter(({ name }) => !NOT_REPEATED.has(name) && given.source(name) === "flag")
    .flatMap(({ name, isTypedByName }) => {
      const value = given.value(name);
      // A list option is repeated once per value.
      const values = [value].flat();
      if (isTypedByName) return values.flatMap((each) => ["--option", `${name}=${String(each)}`]);
      return value === true ? [`--${name}`] : values.flatMap((each) => [`--${name}`, String(each)]);
    });
}

/** Reads the profile that --profile names: a built-in one, or one of --profiles. Throws a Misuse that lists the known names. */
export async function readProfile(given: Given): Promise<Profile | undefined> {
  const [name, file] = [given.text("profile"), given.text("profiles")];
  if (name === undefined && file !== undefined)
    throw new Misuse(`--profiles ${file} defines profiles, but none is selected. Select one with --profile NAME.`);
  if (name === undefined) return undefined;
  const { profiles, readProfiles, ProfileError } = await import("../verdict/profiles/index.ts");
  const readOwn = (path: string) => readProfiles(readBounded(path, { most: 1024 * 1024 }), path);
  const own =
    file === undefined
      ? []
      : readInput(() => readOwn(file), `--profiles ${file}`, "Name a file of profiles.", ProfileError);
  // A profile of the file replaces a built-in one with the same name.
  const all = new Map([...profiles, ...own].map((each) => [each.name, each]));
  const found = all.get(name);
  if (!found) throw rejectUnknown("There is no profile", name, all.keys());
  return found;
}
