// What an error may be called. That each code of the sources is listed in the control document, the compiler holds.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { TOKEN_ERRORS } from "../../../src/client/sandbox-error.ts";
import document from "../../../src/contract/generated/openapi.json" with { type: "json" };
import { domainErrors } from "../../../src/engine/domain/kernel/domain-error.ts";
import { valuesOf } from "../../control-enum.ts";

const sources = ["src/engine/http", "src/hosted"]
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`))
  // What is loaded with its first request words its refusals itself.
  .concat("src/engine/why/apply.ts", "src/stories/recording/recordable.ts")
  .concat("src/engine/domain/kernel/error-codes.ts")
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(name, "utf8"))
  .join("\n");

it("Each code in the control document belongs to a rule or to the transport, and no other", () => {
  // In an answer it is called BAD_REQUEST.
  const { INVALID_INPUT: _, ...rules } = domainErrors;
  const listed = valuesOf("ErrorCode");
  expect(listed).toEqual([...new Set(listed)].sort());
  expect(Object.keys(rules).filter((code) => !listed.includes(code))).toEqual([]);
  expect(listed.filter((code) => !(code in rules || sources.includes(`"${code}"`)))).toEqual([]);
});

it("The errors of the token endpoint are those of its description, and the one of a fault", () => {
  const { schemas } = document.components as { schemas: { TokenError: { properties: Record<string, object> } } };
  expect(schemas.TokenError.properties.error).toMatchObject({ "x-extensible-enum": TOKEN_ERRORS.slice(0, -1) });
  expect(TOKEN_ERRORS.at(-1)).toBe("server_error");
});
