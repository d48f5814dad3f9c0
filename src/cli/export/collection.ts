// The examples of a sandbox's document as a collection, before it is written in the form of some program: folders of requests, with
// variables in place of what no document can know.
import { type Json, operationsOf } from "../../contract/document/document.ts";
import { type ExampleRequest, type Named, requestsOf } from "../../contract/document/requests.ts";

interface Access {
  base_url: string;
  client_id: string;
  client_secret: string;
}

export interface Item extends ExampleRequest {
  /** Names the file, where each has one. */
  slug: string;
  /** A form as pairs; anything else is JSON. */
  form: { name: string; value: string; omitted: boolean }[] | undefined;
  /** What its answer gives: the variable, and the member. */
  sets: { variable: string; member: string }[];
  notes: string;
}

export interface Folder {
  name: string;
  items: Item[];
}

/** What all formats are written from, so that they hold the same requests. */
export interface Collection {
  title: string;
  summary: string;
  access: Access;
  folders: Folder[];
}

/** File → text. */
export type Files = Readonly<Record<string, string>>;

const TOKEN_OPERATION = "createToken";
/** Values of the example that are those of one world stand in the environment instead. */
const VARIABLE: Readonly<Record<string, string>> = {
  audience: "{{base_url}}",
  client_id: "{{client_id}}",
  client_secret: "{{client_secret}}",
};

/** `document`: as the sandbox serves it for the world, so what is assumed there is in its examples. */
export function collectionOf(document: Json, access: Access): Collection {
  const { title, summary } = document.info as Record<"title" | "summary", string>;
  const items = requestsOf(document).map((request) => itemFrom(request, access.base_url));
  const tags = [...new Set(operationsOf(document).map(({ tag }) => tag))];
  const folders = tags.map((name) => ({ name, items: items.filter(({ operation }) => operation.tag === name) }));
  return { title: `${title} (sandbox)`, summary, access, folders };
}

function itemFrom(request: ExampleRequest, base: string): Item {
  const { operation, gives, body } = request;
  const { id, description, scopes, maturity } = operation;
  const access = scopes === undefined ? "No token." : `Scope: ${scopes.join(" ") || "any"}.`;
  // Several examples of one operation are told apart by their names.
  const same = operation.body?.examples.find(({ value }) => value === body);
  const several = (operation.body?.examples.length ?? 0) > 1;
  return {
    ...request,
    slug: several ? `${id}-${same?.name}` : id,
    form: operation.body?.type === "application/x-www-form-urlencoded" ? formFrom(body) : undefined,
    sets: [
      ...(id === TOKEN_OPERATION ? [{ variable: "token", member: "access_token" }] : []),
      ...gives.map(({ parameter, member }) => ({ variable: parameter, member })),
    ],
    notes: [description, `${access} Maturity: ${maturity}.`, `${base}/docs/${id}.md`].filter(Boolean).join("\n\n"),
  };
}

/** All scopes of the key: the example asks for fewer, and then most of the other requests would be refused. */
function formFrom(body: unknown): Item["form"] {
  return Object.entries(body as Record<string, string>).map(([name, value]) => ({
    name,
    value: VARIABLE[name] ?? value,
    omitted: name === "scope",
  }));
}

/** A parameter as these programs write it: what the answer to another request gave is a variable of the same name. */
export const textOf = ({ name, value }: Pick<Named, "name" | "value">): string =>
  typeof value === "string" ? value : `{{${name}}}`;

/** With parameters of the path as these programs write them, `:bookingId`. */
export function addressOf({ operation, query }: Item): string {
  const search = sent(query).map((each) => `${each.name}=${textOf(each)}`);
  return withSearch(`{{base_url}}${operation.path.replace(/\{(\w+)\}/g, ":$1")}`, search);
}

export const withSearch = (address: string, search: readonly string[]): string =>
  search.length > 0 ? `${address}?${search.join("&")}` : address;

export const sent = (named: readonly Named[]): Named[] => named.filter(({ omitted }) => !omitted);

export const indentedJson = (value: unknown): string => JSON.stringify(value, undefined, 2);
