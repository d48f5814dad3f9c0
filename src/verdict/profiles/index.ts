// The profiles that come with the sandbox, and what is done with one.
import table from "../../contract/generated/profiles.json" with { type: "json" };
import { type Profile, profileOf } from "./profile.ts";

export { judgedBy, operationsSeen } from "./judged.ts";
export { checksOf, type Profile, type ProfileJudged } from "./profile.ts";
export { ProfileError, readProfiles } from "./read.ts";

export const profiles: readonly Profile[] = Object.entries(table.profiles).map(([name, row]) => profileOf(name, row));
