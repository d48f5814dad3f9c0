// Every refusal has its why: each error code of the rules, each status of the pipeline, and each error that names a rule of its own.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import register from "../../../src/contract/generated/assumptions.json" with { type: "json" };
import openapi from "../../../src/contract/generated/openapi.json" with { type: "json" };
import { domainErrors } from "../../../src/engine/domain/kernel/domain-error.ts";
import { ContractError, HttpError } from "../../../src/engine/http/errors.ts";
import { domainRules } from "../../../src/engine/why/domain-rules.ts";
import { tables } from "../../../src/engine/why/rows.ts";
import type { Rule } from "../../../src/engine/why/rule.ts";
import { transportRules } from "../../../src/engine/why/transport-rules.ts";

const rules: Record<string, Rule> = { ...transportRules, ...domainRules };
const ids = new Set((register as readonly { id: string }[]).map(({ id }) => id));
const stories = readFileSync("docs/rules.md", "utf8");
const specification = JSON.stringify(openapi)
  .replace(/\\n\s*/g, " ")
  .replaceAll("`", "");

describe("the explanation of a rule", () => {
  test.each(Object.keys(domainErrors))("exists for %s", (code) => {
    expect(rules[code]).toBeDefined();
  });

  test.each(Object.entries(rules))("%s has a documented source", (_, { rests_on }) => {
    for (const { kind, id, text } of rests_on) {
      if (kind === "assumption") expect(ids.has(id ?? ""), id).toBe(true);
      else if (kind === "specification") expect(specification).toContain(text);
      else if (id === undefined) expect(stories).toContain(`- ${text}\n`);
    }
  });

  test.each(Object.entries(rules))("%s uses values that its error has", (code, { looked = "" }) => {
    if (!(code in domainErrors)) return;
    const { message } = domainErrors[code as keyof typeof domainErrors];
    const has = new Set([...message.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    for (const [, name] of looked.matchAll(/\{(\w+)\}/g)) expect(has.has(name), `{${name}} in ${code}`).toBe(true);
  });

  test("is reached by a row of the checks", () => {
    const covered = [...tables.service, ...tables.token].flatMap((row) => row.rules);
    const covers = (rule: string) =>
      covered.some((name) => (name.endsWith("*") ? rule.startsWith(name.slice(0, -1)) : name === rule));
    const left = new Set(["fault-injected", "response-contract", "sign-in"]);
    for (const rule of Object.keys(rules).filter((name) => !left.has(name))) expect(covers(rule), rule).toBe(true);
  });

  test("exists for every transport error that a client of the service can get", () => {
    const nameless = readdirSync("src/engine/http")
      .filter((name) => name.endsWith(".ts") && !/^act-input/.test(name))
      .map((name) => ({ path: `http/${name}`, text: readFileSync(`src/engine/http/${name}`, "utf8") }))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/new HttpError\(/g)].map(({ index }) => ({
          path,
          call: text.slice(index, index + 700).split(/\n {0,6}\);?\n|\n\}/)[0] ?? "",
        })),
      )
      .filter(({ call }) => !/rule\b/.test(call))
      .map(({ path, call }) => `${path}: ${call.slice(0, 120)}`);
    expect(nameless).toEqual([]);
  });

  test("exists for every status", () => {
    for (const status of [400, 401, 403, 404, 405, 406, 409, 413, 415, 429, 500, 503])
      expect(rules[new HttpError(status, "").rule]).toBeDefined();
    expect(rules[new ContractError([]).rule]).toBeDefined();
  });
});
