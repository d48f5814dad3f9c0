// --strict-responses: an answer that breaks its specification becomes a 500 that says how, also one that goes out in pieces.
import { expect, it } from "vitest";
import operations from "../../../src/contract/generated/control-operations.json" with { type: "json" };
import type { RequestsPort } from "../../../src/engine/app/application.ts";
import type { Answer, Routed } from "../../../src/engine/http/exchange.ts";
import { validateResponse } from "../../../src/engine/http/request-validation.ts";

const operation = operations.find(({ iid }) => iid === "listRequests");
const checked = async (answer: Answer, strictResponses = true): Promise<string> => {
  await validateResponse(
    { id: "req-1", route: { operation, id: "listRequests" }, answer } as unknown as Routed,
    { settings: { strictResponses } } as unknown as RequestsPort,
  );
  return answer.pieces ? [...answer.pieces].join("") : JSON.stringify(answer.body);
};
const GOOD = '{"items":[],"dropped":{"count":0,"since":0}}';
const BAD = '{"items":3,"dropped":{"count":0,"since":0}}';
const pieces = function* (text: string) {
  for (let at = 0; at < text.length; at += 1000) yield text.slice(at, at + 1000);
};
const WORDS = /^The answer of listRequests breaks its specification: .*items.* must be array.*\. Request req-1\.$/;

it("A complete response is validated", async () => {
  await expect(checked({ status: 200, body: JSON.parse(GOOD) })).resolves.toBe(GOOD);
  await expect(checked({ status: 200, body: JSON.parse(BAD) })).rejects.toThrow(WORDS);
  await expect(checked({ status: 200, body: JSON.parse(BAD) }, false)).resolves.toBe(BAD);
  await expect(checked({ status: 202, body: JSON.parse(GOOD) })).rejects.toThrow("status 202 is not documented");
});

it("A response in chunks is validated, and sent completely", async () => {
  await expect(checked({ status: 200, pieces: pieces(GOOD) })).resolves.toBe(GOOD);
  await expect(checked({ status: 200, pieces: pieces(BAD) })).rejects.toThrow(WORDS);
  await expect(checked({ status: 200, pieces: pieces(BAD) }, false)).resolves.toBe(BAD);
});
