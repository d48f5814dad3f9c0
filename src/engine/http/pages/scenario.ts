// Reads the scenarios of this package, to which the annotated document links.

import stories from "../../../contract/generated/stories.json" with { type: "json" };
import { suggest } from "../../../platform/nearest.ts";
import { HttpError } from "../errors.ts";
import { readPackagedFile } from "./packaged-file.ts";

export function readScenario(name: string): Buffer {
  const names = Object.keys(stories.titles);
  if (!names.includes(name))
    throw new HttpError(404, `There is no scenario ${name.slice(0, 80)}.${suggest(name, names)}`);
  return readPackagedFile("scenarios", `${name}.yaml`);
}
