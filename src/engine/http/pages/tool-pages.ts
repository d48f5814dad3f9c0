// Formats pages for tools that write an integration: /llms.txt (https://llmstxt.org), and an operation of the annotated
// document as Markdown.

import { type Json, type Operation, operationsOf, resolveReferences } from "../../../contract/document/document.ts";
import stories from "../../../contract/generated/stories.json" with { type: "json" };
import { formatCommand } from "../../../platform/format-command.ts";
import { suggest } from "../../../platform/nearest.ts";
import { HttpError } from "../errors.ts";
import { readPackagedFile } from "./built-files.ts";

export function formatLlmsText(document: Json, base: string): string {
  const { title, summary } = document.info as Record<"title" | "summary", string>;
  const operations = operationsOf(document).map(
    ({ id, method, path, summary: what }) => `- [${id}](/docs/${id}.md): ${method} ${path}: ${what}`,
  );
  return `# ${title} (sandbox)

> ${summary} This is a sandbox of it at ${base}: stateful, with a clock that you move. Nothing in it is real.

- Public API: ${base}/v1, bearer token from POST ${base}/oauth2/token (client credentials; audience ${base})
- Errors are {code, message}; a 400 names every place that is wrong. Each response has the header sandbox-request-id.
- Lists are {next, items}: repeat with cursor=next until next is absent. Money is an integer in the smallest unit.
- The default world, harbour-tours, has readable ids such as evt-tomorrow-evening, bkg-evening, gc-active, exp-canal.
- What the host does, and time, is under ${base}/_sandbox (no token on a loopback address): POST /_sandbox/acts/{act},
  POST /_sandbox/clock/advance {"by": "P1D"}, GET /_sandbox/requests/{id} for what a request met, POST /_sandbox/state/reset.
- Whole documents: ${base}/openapi.json (OpenAPI 3.1), ${base}/_sandbox/openapi.json (control API)
- Where the service's description is silent, the sandbox assumes something: GET ${base}/_sandbox/assumptions

\`\`\`sh
${formatTokenLines(base).join("\n")}
${formatCall("/v1/bookings?limit=1")}
\`\`\`

## Operations

Each page has the description, assumptions, errors, parameters, body and responses of an operation, with examples.

${operations.join("\n")}
`;
}

/** Formats an operation. Its notes name the assumptions of the world. Throws 404 for an unknown one. */
export function formatOperation(document: Json, id: string): string {
  const operations = operationsOf(document);
  const operation = operations.find((each) => each.id === id);
  if (!operation) {
    const ids = operations.map((each) => each.id);
    throw new HttpError(404, `There is no operation ${id.slice(0, 60)}.${suggest(id, ids)} /docs lists them.`);
  }
  const { parameters, requestBody, responses } = resolveReferences(operation.node, document) as Record<string, Json>;
  const successes = Object.entries(responses ?? {}).filter(([status]) => status.startsWith("2"));
  const described = { parameters, requestBody, responses: Object.fromEntries(successes) };
  return `# ${operation.id}: ${operation.summary}

\`${operation.method} ${operation.path}\`

${operation.description}

## Errors

${operation.responses.flatMap(formatError).join("\n")}

## Parameters, body and responses

\`\`\`json
${JSON.stringify(described, undefined, 2)}
\`\`\`
`;
}

function formatError({ status, description, examples }: Operation["responses"][number]): string[] {
  if (status.startsWith("2")) return [];
  // An error has another name at the token endpoint (RFC 6749).
  const codes = examples as { code?: string; error?: string }[];
  const names = new Set(codes.flatMap(({ code, error }) => code ?? error ?? []));
  return [`- ${[status, ...[...names].map((name) => `\`${name}\``)].join(" ")}: ${description.replace(/\s+/g, " ")}`];
}

/** Sets SANDBOX_URL and TOKEN for a running sandbox. */
export const formatTokenLines = (base: string): string[] => [
  `eval "$(${formatCommand(`env --url ${base}`)})"`,
  'TOKEN=$(curl -s "$SANDBOX_TOKEN_URL" -d grant_type=client_credentials -d "audience=$SANDBOX_URL" \\',
  `  -d "client_id=$SANDBOX_CLIENT_ID" -d "client_secret=$SANDBOX_CLIENT_SECRET" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
];

export const formatCall = (target: string): string =>
  `curl -s "$SANDBOX_URL${target}" -H "Authorization: Bearer $TOKEN"`;

/** Reads a scenario of this package, to which the annotated document links. */
export function readScenario(name: string): Buffer {
  const names = Object.keys(stories.titles);
  if (!names.includes(name))
    throw new HttpError(404, `There is no scenario ${name.slice(0, 80)}.${suggest(name, names)}`);
  return readPackagedFile("scenarios", `${name}.yaml`);
}
