// The options of the commands that run a program against sandboxes.
import { jsonOption, type Option, option, playerOptions } from "./command.ts";
import type { Given } from "./options.ts";
import { checkReportOption } from "./reports.ts";
import { configurable, createOwnSandboxOptions } from "./start-settings.ts";

/** What belongs to a sandbox that stays, or that a verdict sets itself. */
export const EXCLUDED_OPTIONS = new Set([
  ...["port", "host", "data", "memory", "database", "wait-for", "fresh", "durability", "seed"],
  ...["json", "quiet", "log-bytes", "control-token", "cors"],
  ...["node-url", "public-url", "worlds-in-memory", "metrics-token"],
]);
/** What a configuration file may set. The clock of a run is held, or two runs would differ. */
export const configuredForRuns = configurable.filter((name) => !EXCLUDED_OPTIONS.has(name) && name !== "clock");

/** The sandbox of a run. */
export const runOptions: readonly Option[] = createOwnSandboxOptions(EXCLUDED_OPTIONS, {
  clock: {
    default: "anchor",
    meaning: "Hold the clock of each run at this instant; `anchor`: the fixture's own.",
    environment: undefined,
  },
});

export const profileOptions: readonly Option[] = [
  option.text(
    "profile",
    "NAME",
    "Judge by what a program of a kind must have shown, such as reader, reseller or accounting.",
  ),
  option.text("profiles", "FILE", "Your own profiles, in the form of spec/profiles.yaml, beside those that there are."),
];

export const strictOption = option.flag("strict", "A warning, or a required check that was not exercised, fails too.");

export const probeOption = option.text(
  "probe",
  "CMD",
  "A shell command that prints the program's own state as JSON, such as the bookings that it knows.",
);

/** In the order of the help. */
export const verdictOptions: readonly Option[] = [
  option.list("only", "a,b", "Only these checks, such as RETRY-01, or all that begin so, such as RETRY."),
  ...profileOptions,
  probeOption,
  strictOption,
  checkReportOption,
  option.text(
    "baseline",
    "FILE",
    "An earlier verdict as JSON: what speaks against the program there is known, and does not fail.",
  ),
  option.flag("keep", "Keep the worlds of all runs, and show the verdict in the console; without --url until Ctrl-C."),
  option.text("seed", "N", "Seed of everything random.", { default: "7" }),
  option.number("jobs", "N", "Runs side by side; default: as many as there are cores."),
  option.number("timeout", "S", "Seconds that one run of the command may take.", { default: 120 }),
  ...playerOptions,
  ...runOptions,
  jsonOption,
];

/** A running sandbox takes these for each world; the others of `start` it has been started with. */
export const WORLD_OPTIONS = new Set(["fixture", "webhook-url", "webhook-events"]);

/** A command that repeats a check chooses these itself, or its result does not depend on them. */
const NOT_REPEATED = new Set([
  ...["only", "profile", "profiles", "seed", "explain", "report", "baseline", "keep", "json"],
  ...["jobs", "timeout", "strict", "control-token", "days", "steps", "shrink", "out", "force", "budget"],
  "option",
]);

/** The options as they were given, for the command that repeats a check, or a soak. */
export function listRepeatedOptions(given: Given, options: readonly Option[] = verdictOptions): string[] {
  return options
    .filter(({ name }) => !NOT_REPEATED.has(name) && given.source(name) === "flag")
    .flatMap(({ name, isTypedByName }) => {
      const value = given.value(name);
      // A list has its option as often as it has values.
      const values = [value].flat();
      if (isTypedByName) return values.flatMap((each) => ["--option", `${name}=${String(each)}`]);
      return value === true ? [`--${name}`] : values.flatMap((each) => [`--${name}`, String(each)]);
    });
}
