// The JSON schema of sandbox.config.yaml for editors, made from the table of the settings.
import { configurable, startOptions } from "../../src/cli/start-settings.ts";
import type { Setting } from "../../src/engine/settings.ts";

const text = { type: "string", minLength: 1 };
const FORMS: Record<string, object> = {
  port: { type: "integer", minimum: 0, maximum: 65_535 },
  seed: { type: ["integer", "string"], pattern: "^-?\\d{1,30}$" },
  "rate-limit": { type: "string", pattern: "^[1-9]\\d{0,8}/min$" },
  "webhook-url": { type: "string", format: "uri" },
  assume: {
    anyOf: [
      { type: "object", additionalProperties: text },
      { type: "array", items: text },
    ],
  },
};

export function configSchema(): string {
  const rows = startOptions.filter(({ name }) => configurable.includes(name));
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "sandbox.config.yaml",
    description: "Options of `sandbox start` by their names. Relative paths are relative to this file.",
    type: "object",
    additionalProperties: false,
    properties: { $schema: { type: "string" }, ...Object.fromEntries(rows.map((row) => [row.name, propertyOf(row)])) },
  };
  return asFormatted(schema);
}

/** JSON as the formatter writes it: a list of plain values stands in one line where that has room. */
export function asFormatted(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  const whole = text.replace(/^(.*)\[\n([^[\]{}]*)\](,?)$/gm, (long, head: string, items: string, comma: string) => {
    const line = `${head}[${items.trim().replace(/\n\s+/g, " ")}]${comma}`;
    return line.length <= 120 ? line : long;
  });
  return `${whole}\n`;
}

function propertyOf({ name, kind, choices, default: byDefault, meaning }: Setting): object {
  const simple = { flag: { type: "boolean" }, list: { type: "array", items: text }, number: { type: "number" }, text };
  const form = FORMS[name] ?? (choices ? { type: "string", enum: choices } : simple[kind]);
  const known = byDefault === undefined || kind === "list" ? {} : { default: byDefault };
  return { description: meaning, ...form, ...known };
}
