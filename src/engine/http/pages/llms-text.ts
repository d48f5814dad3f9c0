// Creates /llms.txt: basics for tools that write an integration, and links to the rest. Format: https://llmstxt.org
import { type Json, operationsOf } from "../../../contract/document/document.ts";
import { formatTokenLines } from "./shell.ts";

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
- Where the service's description is silent, the sandbox assumes something: GET ${base}/_sandbox/assumptions

\`\`\`sh
${formatTokenLines(base).join("\n")}
curl -s "$SANDBOX_URL/v1/bookings?limit=1" -H "Authorization: Bearer $TOKEN"
\`\`\`

## Operations

Each page has parameters, body, answers, errors, assumptions and a command that works.

${operations.join("\n")}

## Whole documents

- [OpenAPI 3.1](${base}/openapi.json): the public API with the overrides of this world, also as ${base}/openapi.yaml
- [Control API](${base}/_sandbox/openapi.json): acts, clock, faults, messages, worlds, snapshots
- [Acts](${base}/_sandbox/acts): every move of the host, with the schema of its input
`;
}
