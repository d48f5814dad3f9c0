// Prism's reader of documents without the package that it reads Postman collections with.
import { createRequire } from "node:module";
import { expect, it } from "vitest";

const { getHttpOperationsFromSpec } = createRequire(import.meta.url)("@stoplight/prism-http/dist/utils/operations");

it("A document is parsed into operations, and a Postman collection is rejected with an explanation", async () => {
  const paths = { "/a": { get: { operationId: "a", responses: { 200: { description: "A." } } } } };
  const operations = await getHttpOperationsFromSpec({ openapi: "3.1.0", info: { title: "A", version: "1" }, paths });
  expect(operations.map(({ iid }: { iid: string }) => iid)).toEqual(["a"]);
  const schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
  await expect(getHttpOperationsFromSpec({ info: { name: "A", schema }, item: [] })).rejects.toThrow(
    "Postman collections are not supported, because postman-collection is not installed. Use an OpenAPI document.",
  );
});
