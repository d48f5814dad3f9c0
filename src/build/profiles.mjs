// What spec/profiles.yaml may be: its schema with the checks and the operations that there are, so that no profile asks for another.
import { problemsBy } from "./checks.mjs";

export function profilesSchema(schema, { checks, document }) {
  const operations = Object.values(document.paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  );
  const { $id: _, $defs, ...rest } = schema;
  const among = (name, values) => ({ [name]: { ...$defs[name], enum: values } });
  return { ...rest, $defs: { ...among("operation", operations), ...among("check", Object.keys(checks)) } };
}

/** One sentence per problem. */
export const problemsOfProfiles = (profiles, schema, source) => problemsBy(schema, profiles, source);
