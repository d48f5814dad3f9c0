// What is added in one place is there everywhere: in a copy of the project a fault gets one more member, and the control surface one more
// operation, and nothing else is written; then the copy is built and used.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fieldsOf, type Schema } from "../../src/console/forms/form-model.ts";
import { startProgram } from "../cli/run-sandbox.ts";
import { onStdio } from "../mcp/mcp-kit.ts";

const copy = mkdtempSync(join(tmpdir(), "new-things-"));
const bin = join(copy, "bin/sandbox.js");
const ends: (() => unknown)[] = [];
let url = "";

/** Puts text in front of the one place where `before` stands. */
function write(file: string, before: string, text: string): void {
  const whole = readFileSync(join(copy, file), "utf8");
  expect(whole.split(before)).toHaveLength(2);
  writeFileSync(
    join(copy, file),
    whole.replace(before, () => text + before),
  );
}

/** The mode of these tests is none of the copy's. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SANDBOX_|VITEST|NODE_)/.test(name)));
const node = (...words: string[]) => execFileSync(process.execPath, words, { cwd: copy, env, encoding: "utf8" });
const sandbox = (line: string) => node(bin, ...line.split(" "));
const at = (line: string) => sandbox(`${line} --url ${url}`);

beforeAll(async () => {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" }).trim().split("\n");
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(file, join(copy, file));
  }
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  write("spec/control/schemas/faults.yaml", "    operation:\n", "    note: { type: string, maxLength: 80 }\n");
  write(
    "spec/control.yaml",
    "  /_sandbox/operations:",
    "  /_sandbox/greeting: { $ref: control/paths/greeting.yaml#/greeting }\n",
  );
  writeFileSync(join(copy, "spec/control/paths/greeting.yaml"), GREETING);
  writeFileSync(join(copy, "src/engine/http/control/greeting.ts"), HANDLER);
  write("src/engine/http/control/index.ts", "import { history }", 'import { greeting } from "./greeting.ts";\n');
  write("src/engine/http/control/index.ts", "  ...history,", "  ...greeting,\n");
  node("src/build/spec.mjs");
  node("src/build/bundle.mjs");
  node(
    "node_modules/vitest/vitest.mjs",
    ..."run --config test/vitest.config.ts --mode docs test/docs/documents.test.ts -t".split(" "),
    "made from the code",
  );
  const running = startProgram(process.execPath, [bin, "start", "--memory", "--json", "--port", "0"]);
  ends.push(() => running.child.kill("SIGKILL"));
  url = JSON.parse((await running.shows("\n")).split("\n")[0] ?? "").url;
}, 600_000);
afterAll(async () => {
  for (const end of ends) await end();
  rmSync(copy, { recursive: true, force: true });
});

const GREETING = `greeting:
  get:
    operationId: greet
    tags: [Sandbox]
    summary: Say hello.
    description: 'It does nothing else.'
    x-cli: { command: greeting }
    parameters:
      - { name: to, in: query, description: Whom it greets., schema: { type: string, maxLength: 20, default: you } }
    responses:
      '200':
        description: The greeting.
        content:
          application/json:
            schema: { type: object, required: [hello], properties: { hello: { type: string } } }
      '401': { $ref: ../responses.yaml#/TokenMissing }
      '403': { $ref: ../responses.yaml#/Forbidden }
      default: { $ref: ../responses.yaml#/Failed }
`;

const HANDLER = `// Says hello.
import { type Handlers, ok } from "./handler.ts";

export const greeting: Handlers<"greet"> = {
  greet: ({ query }) => ok({ hello: query.to ?? "you" }),
};
`;

describe("A member of a fault that is written once", () => {
  it("is an option, with its words, its completion and its page", () => {
    expect(at("fault arm getMe --status 503 --note x")).toMatch(/^getMe: 503 +note x +hits 0 of 1$/m);
    expect(at("fault list")).toMatch(/note x/);
    expect(sandbox("complete -- fault arm getMe --no")).toContain("--note\n");
    expect(sandbox("fault arm --help")).toMatch(/--note <text>/);
    expect(readFileSync(join(copy, "docs/commands.md"), "utf8")).toContain("| `--note text` | `SANDBOX_FAULT_NOTE` |");
    expect(() => at(`fault arm getMe --status 503 --note ${"x".repeat(81)}`)).toThrow();
  });

  it("is in the documents, and so in the form of the console", async () => {
    const document = (await (await fetch(`${url}/_sandbox/openapi.json`)).json()) as Documented;
    const { Fault, FaultInput } = document.components.schemas;
    expect([Fault?.properties?.note, FaultInput?.properties?.note]).toEqual([NOTE, NOTE]);
    expect(fieldsOf(FaultInput ?? {}).map(({ name }) => name)).toContain("note");
    expect(readFileSync(join(copy, "docs/scenarios.md"), "utf8")).toContain("| `note` |");
  });

  it("is in the tool's schema, in the types of the library and in that of scenarios", async () => {
    const { client } = await onStdio([process.execPath, bin, "mcp", "--url", url], copy, () => undefined);
    ends.push(() => client.close());
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "faults")?.inputSchema.properties?.note).toEqual(NOTE);
    expect(readFileSync(join(copy, "dist/types/generated/control.d.ts"), "utf8")).toContain("note?: string");
    const { $defs } = JSON.parse(readFileSync(join(copy, "spec/scenario.schema.json"), "utf8"));
    expect($defs.Fault.properties.note).toEqual(NOTE);
  });
});

const NOTE = { type: "string", maxLength: 80 };
interface Documented {
  components: { schemas: Record<string, Schema> };
}

describe("An operation with x-cli", () => {
  it("is a command, with its help, its completion and its page", () => {
    expect(at("greeting --to Anna")).toBe("hello  Anna\n");
    expect(JSON.parse(at("greeting --json"))).toEqual({ hello: "you" });
    expect(sandbox("greeting --help")).toMatch(/Say hello\.[\s\S]*--to <text>\s+Whom it greets\./);
    expect(sandbox("--help")).toMatch(/More:\n +greeting +Say hello\./);
    expect(sandbox("complete -- gree")).toBe("greeting\n");
    expect(readFileSync(join(copy, "docs/commands.md"), "utf8")).toContain("## sandbox greeting\n\nSay hello.");
    expect(readFileSync(join(copy, "docs/control-api.md"), "utf8")).toContain("`GET /_sandbox/greeting`");
  });
});
