// The schemas of inputs that are no acts, out of the document of the control API, with what they refer to put in place.
import { withoutUnions } from "../../contract/document/without-unions.mjs";
import { control, dataOf } from "../api.ts";
import { askCollections, collectionNamedBy } from "../stores/collections.ts";
import { type Field, fieldsOf, type Schema } from "./form-model.ts";

type Named = Readonly<Record<string, unknown>>;
let asked: Promise<Named> | undefined;

async function schemas(): Promise<Named> {
  const document = await dataOf(control.peek().GET("/_sandbox/openapi.json"));
  return withoutUnions(document as { components: { schemas: Named } }).components.schemas;
}

export async function fieldsNamed(name: string): Promise<Field[]> {
  asked ??= schemas();
  const all = await asked.catch((reason) => {
    asked = undefined;
    throw reason;
  });
  await askCollections();
  return fieldsOf(whole(all[name], all) as Schema, collectionNamedBy);
}

function whole(value: unknown, all: Named): unknown {
  if (Array.isArray(value)) return value.map((each) => whole(each, all));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...own } = value as { $ref?: string };
  const referred = $ref ? (all[$ref.replace(/^.*\//, "")] as object) : {};
  return Object.fromEntries(Object.entries({ ...referred, ...own }).map(([name, of]) => [name, whole(of, all)]));
}
