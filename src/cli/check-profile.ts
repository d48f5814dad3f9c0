// The profile that a command names: one that comes with the sandbox, or one of the company's own file.
import { readBounded, whyUnread } from "../platform/bounded-file.ts";
import { didYouMean } from "../platform/nearest.ts";
import type { Check } from "../verdict/index.ts";
import type { Profile } from "../verdict/profiles/index.ts";
import { Misuse } from "./failure.ts";
import type { Given } from "./options.ts";

/** Undefined where none is named. Throws a Misuse with the names that there are. */
export async function profileFrom(given: Given): Promise<Profile | undefined> {
  const [name, file] = [given.text("profile"), given.text("profiles")];
  if (name === undefined && file !== undefined)
    throw new Misuse(`--profiles ${file} says which profiles there are. Say which one judges: --profile NAME.`);
  if (name === undefined) return undefined;
  const { profiles, readProfiles, ProfileError } = await import("../verdict/profiles/index.ts");
  const own = file === undefined ? [] : ownFrom(file);
  // A company's own stands for one of the same name.
  const all = [...own, ...profiles.filter((each) => !own.some((own) => own.name === each.name))];
  const found = all.find((each) => each.name === name);
  if (found) return found;
  const names = all.map((each) => each.name);
  throw new Misuse(`There is no profile ${name}.${didYouMean(name, names)} There are: ${names.join(", ")}.`);

  function ownFrom(file: string): Profile[] {
    try {
      return readProfiles(readBounded(file, { most: 1024 * 1024 }), file);
    } catch (error) {
      if (error instanceof ProfileError) throw new Misuse(error.message);
      throw new Misuse(`--profiles ${file} ${whyUnread(error)} Name a file of profiles.`);
    }
  }
}

/** What it names, in the order in which checks are reported. */
export async function checksFor(profile: Profile, checks: readonly Check[]): Promise<Check[]> {
  const { checksOf } = await import("../verdict/profiles/index.ts");
  const named = checksOf(profile);
  return checks.filter(({ id }) => named.includes(id));
}
