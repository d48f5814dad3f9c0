// The parts of the documents that are made from the code: one row a part. `npm run docs` writes them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Command, clientOptions, type Group, type Option } from "../../src/cli/command.ts";
import { commandTable } from "../../src/cli/command-line.ts";
import { describeOption } from "../../src/cli/options.ts";
import { settingsOptions, startOptions } from "../../src/cli/start-settings.ts";
import { CLASSES } from "../../src/client/reconcile.ts";
import assumptions from "../../src/contract/generated/assumptions.json" with { type: "json" };
import controlDocument from "../../src/contract/generated/control.json" with { type: "json" };
import { listActViews } from "../../src/engine/http/control/acts.ts";
import { checks } from "../../src/verdict/index.ts";
import { profiles } from "../../src/verdict/profiles/index.ts";
import { business, weather } from "../../src/verdict/soak/plan.ts";
import { libraryReference } from "./library-reference.ts";
import { table } from "./markdown.ts";
import { refusalsTable } from "./refusals.ts";
import { scenarioWords } from "./scenario-words.ts";

export const parts: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  "docs/commands.md": { commands: commandReference },
  "docs/rules.md": { rules: listRules },
  "docs/assumptions.md": { assumptions: assumptionsReference },
  "docs/library.md": { library: libraryReference },
  "docs/control-api.md": { control: controlTable, acts: actsTable },
  "docs/testing.md": {
    environment: environmentTable,
    workflow: () => block("yaml", starter(".github/workflows/contract.yml")),
  },
  "docs/fixtures.md": fixtureExamples(),
  "docs/scenarios.md": { words: scenarioWords },
  "docs/checks.md": { checks: checksTable, profiles: profilesTable, rates: ratesTable },
  "docs/books.md": { classes: classesTable },
  "docs/troubleshooting.md": { refusals: refusalsTable },
};

interface Assumption {
  id: string;
  area: string;
  chosen: string;
  default: string;
  alternatives: { value: string; meaning: string }[];
}

const register = assumptions as readonly Assumption[];

const isGroup = (entry: Command | Group): entry is Group => "members" in entry;
const entries = () => Object.values(commandTable).flat();
const formOf = ({ name, arguments: words = [] }: Command) => [name, ...words.map(([form]) => form)].join(" ");

function commandReference(): string {
  const all = entries().flatMap((entry) =>
    isGroup(entry) ? entry.members.map((member) => ({ ...member, name: `${entry.name} ${member.name}` })) : [entry],
  );
  const sections = [
    "## Connection options\n\nEvery command that talks to a sandbox takes these options. `play` and `check` start their own sandbox without `--url`.\n",
    listOptions(clientOptions),
    "## Options of a sandbox that a command starts\n\n`exec` and `check` start a sandbox and take these options.\n",
    listOptions(settingsOptions),
  ];
  return [...sections, ...all.map(formatCommand)].join("\n");
}

function listOptions(options: readonly Option[]): string {
  const lines = options.map((option) => {
    const { name, placeholder, default: byDefault } = option;
    const hasDefault = byDefault !== undefined && byDefault !== false && String(byDefault) !== "";
    const value = hasDefault ? ` (\`${String(byDefault)}\`)` : "";
    return `- \`--${name}${placeholder ? ` ${placeholder}` : ""}\`${value}: ${describeOption({ ...option, default: undefined })}`;
  });
  return `${lines.join("\n")}\n`;
}

function formatCommand(command: Command): string {
  const { summary, arguments: words = [], options, epilogue } = command;
  const named = words.map(([form, meaning]) => `- \`${form}\`: ${meaning}`);
  // `--help` has the sentences around the examples too.
  const examples = (epilogue ?? "").split("\n").flatMap((line) => (/^ {2}sandbox /.test(line) ? [line.trim()] : []));
  const own = options.filter(({ topic, isTypedByName }) => topic === undefined && !isTypedByName);
  return [
    `## sandbox ${formOf(command)}`,
    "",
    summary,
    "",
    ...(named.length > 0 ? [...named, ""] : []),
    ...(own.length > 0 ? [listOptions(own)] : []),
    ...(examples.length > 0 ? ["```text", ...examples, "```", ""] : []),
  ].join("\n");
}

function listRules(): string {
  const files = readdirSync("scenarios").filter((file) => file.endsWith(".yaml"));
  const sections = files.flatMap((file) => {
    const { rules = [] } = parse(readFileSync(join("scenarios", file), "utf8")) as { rules?: string[] };
    if (rules.length === 0) return [];
    const title = file.replace(".yaml", "").replaceAll("-", " ");
    return [`[${title}](../scenarios/${file})\n\n${rules.map((rule) => `- ${rule}\n`).join("")}`];
  });
  return `${sections.join("\n")}`;
}

function assumptionsReference(): string {
  const areas = [...new Set(register.map(({ area }) => area))];
  const sections = areas.map((area) => {
    const inArea = register.filter((entry) => entry.area === area);
    return `## ${area}\n\n${inArea.map(formatAssumption).join("\n")}`;
  });
  return sections.join("\n");
}

function formatAssumption({ id, chosen, default: byDefault, alternatives }: Assumption): string {
  const values = alternatives.map(({ value, meaning }) => `- \`${value}\`: ${meaning}\n`).join("");
  const head = `### ${id}\n\n${chosen}\n`;
  return alternatives.length === 0 ? head : `${head}\n\`${byDefault}\`, or:\n\n${values}`;
}

type Operation = { summary?: string; operationId?: string };

function controlTable(): string {
  const paths = controlDocument.paths as Record<string, Record<string, Operation>>;
  const rows = Object.entries(paths)
    .filter(([path]) => !/^\/_sandbox\/acts\/[a-z]/i.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => ["get", "put", "post", "patch", "delete"].includes(method))
        .map(([method, { summary = "" }]) => [`\`${method.toUpperCase()} ${path}\``, summary]),
    );
  return table(["request", "does"], rows);
}

function actsTable(): string {
  return table(
    ["act", "what happens"],
    listActViews().map(({ act, summary }) => [`\`${act}\``, summary]),
  );
}

function profilesTable(): string {
  return table(
    ["profile", "the program", "operations", "checks", "also"],
    profiles.map(({ name, for: what, operations, pass, soak, books }) => [
      `\`${name}\``,
      what,
      `${operations.length}`,
      `${pass.length}`,
      [...(soak ? ["a soak"] : []), ...(books ? ["its books"] : [])].join(", "),
    ]),
  );
}

function checksTable(): string {
  return table(
    ["check", "level", "expects", "harm"],
    checks.map(({ id, level, title, harm }) => [`\`${id}\``, level, title, harm]),
  );
}

function classesTable(): string {
  return table(
    ["class", "meaning"],
    Object.entries(CLASSES).map(([name, says]) => [`\`${name}\``, says]),
  );
}

function ratesTable(): string {
  return table(
    ["row", "a day", "what happens"],
    Object.entries({ ...business, ...weather }).map(([name, { per_day, does }]) => [`\`${name}\``, `${per_day}`, does]),
  );
}

function environmentTable(): string {
  const meanings = {
    SANDBOX_URL: "Base address of the service; paths begin with `/v1`.",
    SANDBOX_AUTH_URL: "Base address of the token endpoint.",
    SANDBOX_TOKEN_URL: "The token endpoint.",
    SANDBOX_CLIENT_ID: "Client id of the default world.",
    SANDBOX_CLIENT_SECRET: "Its secret.",
    SANDBOX_CONTROL_URL: "Base address of the control API.",
    SANDBOX_CONTROL_TOKEN: "The control token, if the control API needs one.",
    SANDBOX_WEBHOOK_SECRET: "Secret of the subscription of `--webhook-url`, or empty.",
  };
  return table(
    ["variable", "content"],
    Object.entries(meanings).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );
}

const block = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
const starter = (file: string): string => readFileSync(join("docs/starter", file), "utf8");

/** Of each file of the starter's fixture its first rows, with the schema where a project has it. */
function fixtureExamples(): Record<string, () => string> {
  const example = (part: string) => () => {
    const whole = JSON.parse(starter(`my-company/${part}.json`)) as Record<string, unknown>;
    const $schema = String(whole.$schema).replace("../../../", "../node_modules/experience-sandbox/");
    const few = Object.entries(whole).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, 1) : value]);
    return block("json", JSON.stringify({ ...Object.fromEntries(few), $schema }, null, 2));
  };
  return Object.fromEntries(
    ["world", "locations", "experiences", "events", "history"].map((part) => [part, example(part)]),
  );
}

/** Every option of start, for whoever looks whether a document knows it. */
export const optionNames = (): string[] => startOptions.map(({ name }) => name);
