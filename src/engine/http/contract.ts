// Answers held against the specification by Prism's validators: `--strict-responses`, and every test.
import { validateOutput } from "@stoplight/prism-http/dist/validator/index.js";
import type { IHttpOperation } from "@stoplight/types";
import type { Answer } from "./exchange.ts";

const ERROR = 0;

/** What is wrong with an answer; an undocumented success is, even where a `default` would take it. */
export function problemsOfAnswer(operation: IHttpOperation, answer: Answer): string[] {
  const documented = operation.responses.some(({ code }) => code === String(answer.status));
  if (!documented && answer.status < 400) return [`status ${answer.status} is not documented`];
  if (answer.status === 204) return answer.body === undefined ? [] : ["a 204 has no body"];
  const headers = { "content-type": "application/json", ...answer.headers };
  const element = { statusCode: answer.status, headers, body: answer.body };
  const verdict = validateOutput({ resource: operation, element: element as never });
  // Prism's Either, taken apart without the library that made it.
  const { _tag, left } = verdict as unknown as {
    _tag: "Left" | "Right";
    left: { severity: number; message: string }[];
  };
  return _tag === "Left" ? left.filter(({ severity }) => severity === ERROR).map(({ message }) => message) : [];
}
