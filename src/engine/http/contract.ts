// Validates responses with Prism, for `--strict-responses` and for every test.
import { validateOutput } from "@stoplight/prism-http/dist/validator/index.js";
import type { IHttpOperation } from "@stoplight/types";
import type { Answer } from "./exchange.ts";

const ERROR = 0;

/** Lists the violations of a response. An undocumented success is a violation, even if `default` covers it. */
export function listProblems(operation: IHttpOperation, answer: Answer): string[] {
  const documented = operation.responses.some(({ code }) => code === String(answer.status));
  if (!documented && answer.status < 400) return [`status ${answer.status} is not documented`];
  if (answer.status === 204) return answer.body === undefined ? [] : ["a 204 has no body"];
  const headers = { "content-type": "application/json", ...answer.headers };
  const element = { statusCode: answer.status, headers, body: answer.body };
  const verdict = validateOutput({ resource: operation, element: element as never });
  // Prism returns an Either, which is read here without its library.
  const { _tag, left } = verdict as unknown as {
    _tag: "Left" | "Right";
    left: { severity: number; message: string }[];
  };
  return _tag === "Left" ? left.filter(({ severity }) => severity === ERROR).map(({ message }) => message) : [];
}
