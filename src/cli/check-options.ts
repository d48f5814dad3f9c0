// The options that select checks and profiles, and what they name.
import { readBounded } from "../platform/bounded-file.ts";
import type { Check } from "../verdict/index.ts";
import type { Profile } from "../verdict/profiles/index.ts";
import { findByName, Misuse, readInput } from "./failure.ts";
import { type Given, type Option, option } from "./options.ts";

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

/** Reads the profile that --profile names: a built-in one, or one of --profiles. Throws a Misuse that lists the known names. */
export async function readProfile(given: Given): Promise<Profile | undefined> {
  const [name, file] = [given.text("profile"), given.text("profiles")];
  if (name === undefined && file !== undefined)
    throw new Misuse(`--profiles ${file} defines profiles, but none is selected. Select one with --profile NAME.`);
  if (name === undefined) return undefined;
  const { profiles, readProfiles, ProfileError } = await import("../verdict/profiles/index.ts");
  const readOwn = (path: string) =>
    readInput(
      () => readProfiles(readBounded(path, { most: 1024 * 1024 }), path),
      `--profiles ${path}`,
      "Name a file of profiles.",
      ProfileError,
    );
  const own = file === undefined ? [] : readOwn(file);
  // A profile of the file replaces a built-in one with the same name.
  return findByName([...own, ...profiles], ["name", name], "There is no profile");
}

/** Reads the verdict file that `option` names. Returns undefined without the option. */
export function readVerdict<T>(given: Given, option: string, read: (text: string) => T): T | undefined {
  const file = given.text(option);
  if (file === undefined) return undefined;
  const advice = `Write it with \`sandbox check --report json=${file} -- <command>\`.`;
  return readInput(() => read(readBounded(file)), `--${option} ${file}`, advice);
}

/** Returns all checks, or those whose id is in `only` or begins with an entry of it, such as RETRY for RETRY-01. */
export function pickChecks(all: readonly Check[], only: readonly string[]): readonly Check[] {
  const wanted = only.flatMap((name) => {
    const text = name.toUpperCase();
    const found = all.filter(({ id }) => id === text || id.startsWith(`${text}-`));
    return found.length > 0 ? found : findByName(all, ["id", name], "There is no check");
  });
  return only.length === 0 ? all : all.filter((check) => wanted.includes(check));
}
