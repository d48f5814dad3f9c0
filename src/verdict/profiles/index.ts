// The profiles that are part of the sandbox, and their evaluation.
import table from "../../contract/generated/profiles.json" with { type: "json" };
import { createProfile, type Profile } from "./profile.ts";

export { judgeProfile, listSuccessfulOperations } from "./judge-profile.ts";
export { type JudgedProfile, listChecks, type Profile } from "./profile.ts";
export { ProfileError, readProfiles } from "./read.ts";

export const profiles: readonly Profile[] = Object.entries(table.profiles).map(([name, row]) =>
  createProfile(name, row),
);
