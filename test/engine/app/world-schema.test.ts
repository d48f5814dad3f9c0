// The schemas of spec/world.yaml and the types of src/engine/domain/kernel/records.ts say the same: each can stand where the other is wanted.
import { expect, it } from "vitest";
import type { components } from "../../../src/contract/generated/world.ts";
import generated from "../../../src/contract/generated/world-validators.js";
import type { Repositories } from "../../../src/engine/domain/kernel/transaction.ts";
import { credentials, names } from "../../../src/engine/world/state/schema.ts";

type Schemas = components["schemas"];
type StateDump = Exclude<keyof Repositories, "keys" | "tokens">;
type RecordOf<Name extends StateDump> = NonNullable<ReturnType<Repositories[Name]["get"]>>;
type Differing = {
  [Name in StateDump]: [RecordOf<Name>, Schemas[Name]] extends [Schemas[Name], RecordOf<Name>] ? never : Name;
}[StateDump];

type Members<T> = T extends unknown ? keyof T & string : never;
/** An optional member that only one of the two has makes no difference to where they can stand. */
type Unknown = {
  [Name in StateDump]: `${Name}.${
    | Exclude<Members<RecordOf<Name>>, Members<Schemas[Name]>>
    | Exclude<Members<Schemas[Name]>, Members<RecordOf<Name>>>}`;
}[StateDump];

/** A collection whose type and schema differ is named by the compiler here. */
const DIFFERING: [Differing] extends [never] ? "none" : Differing = "none";
/** A member that only the type or only the schema has. */
const UNKNOWN: [Unknown] extends [never] ? "none" : Unknown = "none";

it("there is a schema for each collection of an exported world, and each is its type's", () => {
  const exported = names.filter((name) => !credentials.includes(name));
  expect(Object.keys(generated.given({})).sort()).toEqual([...exported].sort());
  expect([DIFFERING, UNKNOWN]).toEqual(["none", "none"]);
});
