// The requests as .http files, in the two dialects that editors read: one for Visual Studio and the REST Client of Visual Studio
// Code, one for JetBrains IDEs and httpYac. They differ in how a request uses the answer to another.
import type { Value } from "../../contract/document/requests.ts";
import { type Collection, type Files, type Item, indentedJson, sent, withSearch } from "./collection.ts";

interface Dialect {
  file: string;
  readers: string;
  /** A member of the answer to an operation, in a later request. */
  use(operation: string, member: string, variable: string): string;
  /** Lines behind a request whose answer gives variables. */
  keep(sets: Item["sets"]): string[];
}

/** Two files, since neither dialect can be read by the editors of the other. */
const DIALECTS: readonly Dialect[] = [
  {
    file: "experience-sandbox.http",
    readers: "Visual Studio, and REST Client for Visual Studio Code",
    use: (operation, member) => `{{${operation}.response.body.$.${member}}}`,
    // This dialect reads the answer by the name of the request.
    keep: () => [],
  },
  {
    file: "experience-sandbox.jetbrains.http",
    readers: "JetBrains IDEs and httpYac",
    use: (_, __, variable) => `{{${variable}}}`,
    keep: (sets) =>
      sets.map(({ variable, member }) => `> {% client.global.set("${variable}", response.body.${member}); %}`),
  },
];

export function httpFiles(collection: Collection): Files {
  return Object.fromEntries(DIALECTS.map((dialect) => [dialect.file, textFor(collection, dialect)]));
}

function textFor({ title, access, folders }: Collection, dialect: Dialect): string {
  const variables = Object.entries(access).map(([name, value]) => `@${name} = ${value}`);
  const head = [
    `# ${title}: for ${dialect.readers}.`,
    "# Send the first request first: the others use its token.",
    ...variables,
  ];
  const requests = folders.flatMap(({ items }) => items.map((item) => requestText(item, dialect)));
  return [head.join("\n"), ...requests].join("\n\n");
}

function requestText(item: Item, dialect: Dialect): string {
  const { title, slug, operation, path, query, headers, body, form, sets } = item;
  const inAddress = (name: string, value: Value) =>
    typeof value === "string" ? encodeURIComponent(value) : dialect.use(value.operation, value.member, name);
  const target = path.reduce(
    (text, { name, value }) => text.replace(`{${name}}`, inAddress(name, value)),
    operation.path,
  );
  const search = sent(query).map(({ name, value }) => `${name}=${inAddress(name, value)}`);
  const type = operation.body?.type;
  return [
    `### ${title}`,
    `# @name ${slug.replaceAll("-", "_")}`,
    `${operation.method} ${withSearch(`{{base_url}}${target}`, search)}`,
    ...(operation.scopes === undefined
      ? []
      : [`Authorization: Bearer ${dialect.use("createToken", "access_token", "token")}`]),
    ...sent(headers).map(({ name, value }) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Type: ${type}`, "", formText(form) ?? indentedJson(body)]),
    ...(dialect.keep(sets).length > 0 ? ["", ...dialect.keep(sets)] : []),
  ].join("\n");
}

const formText = (form: Item["form"]): string | undefined =>
  form
    ?.filter(({ omitted }) => !omitted)
    .map(({ name, value }) => `${name}=${value}`)
    .join("&");
