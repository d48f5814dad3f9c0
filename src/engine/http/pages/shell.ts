// Formats the shell commands on the pages: get credentials and a token, and send a request.
import type { ExampleRequest, Named, Value } from "../../../contract/document/requests.ts";
import { formatCommand } from "../../../platform/format-command.ts";
import { quote } from "../../../platform/shell-quoted.ts";

/** Sets SANDBOX_URL and TOKEN for a running sandbox. */
export const formatTokenLines = (base: string): string[] => [
  `eval "$(${formatCommand(`env --url ${base}`)})"`,
  'TOKEN=$(curl -s "$SANDBOX_TOKEN_URL" -d grant_type=client_credentials -d "audience=$SANDBOX_URL" \\',
  `  -d "client_id=$SANDBOX_CLIENT_ID" -d "client_secret=$SANDBOX_CLIENT_SECRET" | ${formatMemberReader("access_token")})`,
];

/** The header is in double quotes, so that the shell inserts the token. */
const BEARER = '-H "Authorization: Bearer $TOKEN"';

export const formatCall = (target: string): string => `curl -s "$SANDBOX_URL${target}" ${BEARER}`;

/**
 * Formats an example as one command. Values from the response of another request are in a variable with the name of the
 * parameter.
 */
export function formatCurl({ operation, path, query, headers, body }: ExampleRequest): string {
  const target = path.reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeValue(name, value)),
    operation.path,
  );
  const search = query
    .filter(({ omitted }) => !omitted)
    .map(({ name, value }) => `${name}=${encodeValue(name, value)}`);
  const method =
    // curl infers the method from the body.
    operation.method === "GET" || (operation.method === "POST" && body !== undefined) ? "" : ` -X ${operation.method}`;
  const words = [
    `curl -s${method} "$SANDBOX_URL${[target, ...(search.length > 0 ? [search.join("&")] : [])].join("?")}"`,
    ...(operation.scopes === undefined ? [] : [BEARER]),
    ...headers.filter(({ omitted }) => !omitted).map(({ name, value }) => `-H ${quote(`${name}: ${value}`)}`),
    ...formatBodyWords(operation.body?.type, body),
  ];
  return words.join(" \\\n  ");
}

// Colons and commas are allowed in a query, and are easier to read.
const encodeValue = (name: string, value: Value): string =>
  typeof value === "string" ? encodeURIComponent(value).replaceAll("%3A", ":").replaceAll("%2C", ",") : `$${name}`;

/** Environment variables for values that the document doesn't know. */
const ENVIRONMENT_VALUES: Readonly<Record<string, string>> = {
  audience: "$SANDBOX_URL",
  client_id: "$SANDBOX_CLIENT_ID",
  client_secret: "$SANDBOX_CLIENT_SECRET",
};

function formatBodyWords(type: string | undefined, body: unknown): string[] {
  if (body === undefined) return [];
  if (type === "application/json") return [`-H 'Content-Type: ${type}'`, `-d ${quote(JSON.stringify(body))}`];
  return Object.entries(body as Record<string, string>).map(
    ([name, value]) => `--data-urlencode "${name}=${ENVIRONMENT_VALUES[name] ?? value}"`,
  );
}

/** Formats a command that reads a field of a JSON response. */
const formatMemberReader = (name: string): string => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`;

export const formatVariable = ({ name }: Pick<Named, "name">, command: string, member: string): string =>
  `${name}=$(${command} | ${formatMemberReader(member)})`;
