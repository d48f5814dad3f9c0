// The profile that a command names: one that comes with the sandbox, or one of the company's own file.
import { readBounded } from "../platform/bounded-file.ts";
import type { Check } from "../verdict/index.ts";
import type { Profile } from "../verdict/profiles/index.ts";
import { Misuse, readInput, rejectUnknown } from "./failure.ts";
import type { Given } from "./options.ts";

/** Undefined where none is named. Throws a Misuse with the names that there are. */
export async function readProfile(given: Given): Promise<Profile | undefined> {
  const [name, file] = [given.text("profile"), given.text("profiles")];
  if (name === undefined && file !== undefined)
    throw new Misuse(`--profiles ${file} says which profiles there are. Say which one judges: --profile NAME.`);
  if (name === undefined) return undefined;
  const { profiles, readProfiles, ProfileError } = await import("../verdict/profiles/index.ts");
  const readOwn = (path: string) => readProfiles(readBounded(path, { most: 1024 * 1024 }), path);
  const own =
    file === undefined
      ? []
      : readInput(() => readOwn(file), `--profiles ${file}`, "Name a file of profiles.", ProfileError);
  // A company's own stands for one of the same name.
  const all = [...own, ...profiles.filter((each) => !own.some((own) => own.name === each.name))];
  const found = all.find((each) => each.name === name);
  if (found) return found;
  const names = all.map((each) => each.name);
  throw rejectUnknown("There is no profile", name, names);
}

/** What it names, in the order in which checks are reported. */
export async function selectProfileChecks(profile: Profile, checks: readonly Check[]): Promise<Check[]> {
  const { checksOf } = await import("../verdict/profiles/index.ts");
  const named = checksOf(profile);
  return checks.filter(({ id }) => named.includes(id));
}
