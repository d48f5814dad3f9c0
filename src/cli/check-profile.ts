// Reads the profile that --profile names: a built-in one, or one from the file of --profiles.
import { readBounded } from "../platform/bounded-file.ts";
import type { Check } from "../verdict/index.ts";
import type { Profile } from "../verdict/profiles/index.ts";
import { Misuse, readInput, rejectUnknown } from "./failure.ts";
import type { Given } from "./options.ts";

/** Returns undefined without --profile. Throws a Misuse that lists the known names. */
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
  const all = [...own, ...profiles.filter((each) => !own.some((own) => own.name === each.name))];
  const found = all.find((each) => each.name === name);
  if (found) return found;
  const names = all.map((each) => each.name);
  throw rejectUnknown("There is no profile", name, names);
}

/** Returns the checks of the profile in the order of the report. */
export async function selectProfileChecks(profile: Profile, checks: readonly Check[]): Promise<Check[]> {
  const { listChecks } = await import("../verdict/profiles/index.ts");
  const named = listChecks(profile);
  return checks.filter(({ id }) => named.includes(id));
}
