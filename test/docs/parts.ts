// The parts of the documents that are made from the code: one row a part. `npm run docs` writes them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Command, clientOptions, type Group, type Option } from "../../src/cli/command.ts";
import { commandTable } from "../../src/cli/command-line.ts";
import { describeOption } from "../../src/cli/options.ts";
import { startOptions } from "../../src/cli/start-settings.ts";
import { CLASSES } from "../../src/client/reconcile.ts";
import assumptions from "../../src/contract/generated/assumptions.json" with { type: "json" };
import controlDocument from "../../src/contract/generated/control.json" with { type: "json" };
import { actViews } from "../../src/engine/http/control/acts.ts";
import { checks } from "../../src/verdict/index.ts";
import { profiles } from "../../src/verdict/profiles/index.ts";
import { business, weather } from "../../src/verdict/soak/rates.ts";
import { libraryReference } from "./library-reference.ts";
import { table } from "./markdown.ts";
import { refusalsTable } from "./refusals.ts";
import { scenarioWords } from "./scenario-words.ts";

export const parts: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  "docs/commands.md": { commands: commandReference },
  "docs/rules.md": { rules: rulesTable },
  "docs/assumptions.md": { assumptions: assumptionsReference },
  "docs/library.md": { library: libraryReference },
  "docs/control-api.md": { control: controlTable, acts: actsTable },
  "docs/testing.md": {
    environment: environmentTable,
    workflow: () => block("yaml", starter(".github/workflows/contract.yml")),
  },
  "docs/fixtures.md": fixtureExamples(),
  "docs/scenarios.md": { words: scenarioWords },
  "docs/verdict.md": { checks: checksTable, profiles: profilesTable },
  "docs/soak.md": { rates: ratesTable },
  "docs/books.md": { classes: classesTable },
  "docs/troubleshooting.md": { refusals: refusalsTable },
};

interface Assumption {
  id: string;
  area: string;
  gap: string;
  chosen: string;
  basis: string[];
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
  const connection = [
    "## Connection options",
    "",
    "Commands that talk to a sandbox take these options.",
    "",
    optionsTable(clientOptions),
  ];
  return [connection.join("\n"), ...all.map(referenceOf)].join("\n");
}

function optionsTable(options: readonly Option[]): string {
  const rows = options.map((option) => {
    const { name, placeholder, default: byDefault, environment } = option;
    const view =
      byDefault === undefined || byDefault === false || String(byDefault) === "" ? "" : `\`${String(byDefault)}\``;
    return [
      `\`--${name}${placeholder ? ` ${placeholder}` : ""}\``,
      environment ? `\`${environment}\`` : "",
      view,
      describeOption({ ...option, default: undefined }),
    ];
  });
  return table(["option", "environment", "default", "meaning"], rows);
}

function referenceOf(command: Command): string {
  const { summary, arguments: words = [], options, epilogue } = command;
  const named = words.map(([form, meaning]) => `- \`${form}\`: ${meaning}`);
  const own = options.filter(({ isConnection, isTypedByName }) => !isConnection && !isTypedByName);
  const connection = options.filter(({ isConnection }) => isConnection).map(({ name }) => `\`--${name}\``);
  return [
    `## sandbox ${formOf(command)}`,
    "",
    summary,
    "",
    ...(named.length > 0 ? [...named, ""] : []),
    ...(own.length > 0 ? [optionsTable(own)] : []),
    ...(connection.length > 0 ? [`[Connection options](#connection-options): ${connection.join(", ")}.`, ""] : []),
    ...(epilogue ? ["```text", epilogue.trim(), "```", ""] : []),
  ].join("\n");
}

function rulesTable(): string {
  const files = readdirSync("scenarios").filter((file) => file.endsWith(".yaml"));
  const rows = files.flatMap((file) => {
    const { rules = [] } = parse(readFileSync(join("scenarios", file), "utf8")) as { rules?: string[] };
    return rules.map((rule) => [rule, `[${file.replace(".yaml", "").replaceAll("-", " ")}](../scenarios/${file})`]);
  });
  return table(
    ["rule", "story"],
    rows.sort((a, b) => String(a).localeCompare(String(b), "en")),
  );
}

function assumptionsReference(): string {
  const areas = [...new Set(register.map(({ area }) => area))];
  const one = (entry: Assumption) =>
    [
      `### ${entry.id}`,
      "",
      `${entry.gap} ${entry.chosen}`,
      "",
      `Basis: ${entry.basis.join(", ")}. Value: \`${entry.default}\`.`,
      "",
      ...entry.alternatives.map(({ value, meaning }) => `- \`--assume ${entry.id}=${value}\`: ${meaning}`),
      ...(entry.alternatives.length > 0 ? [""] : []),
    ].join("\n");
  return areas
    .map(
      (area) =>
        `## ${area}\n\n${register
          .filter((entry) => entry.area === area)
          .map(one)
          .join("\n")}`,
    )
    .join("\n");
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
    actViews().map(({ act, summary }) => [`\`${act}\``, summary]),
  );
}

function profilesTable(): string {
  return table(
    ["profile", "what such a program does", "to be seen", "to be passed", "with"],
    profiles.map(({ name, for: what, operations, pass, soak, books }) => [
      ...[`\`${name}\``, what, `${operations.length} operations`, `${pass.length} checks`],
      [...(soak ? ["a soak"] : []), ...(books ? ["its books"] : [])].join(", "),
    ]),
  );
}

function checksTable(): string {
  return table(
    ["check", "level", "asks for", "what is done to the program"],
    checks.map(({ id, level, title, done }) => [`\`${id}\``, level, title, done]),
  );
}

function classesTable(): string {
  return table(
    ["class", "what it says"],
    Object.entries(CLASSES).map(([name, says]) => [`\`${name}\``, says]),
  );
}

function ratesTable(): string {
  return table(
    ["row", "on an average day", "what happens"],
    Object.entries({ ...business, ...weather }).map(([name, { per_day, does }]) => [`\`${name}\``, `${per_day}`, does]),
  );
}

function environmentTable(): string {
  const meanings = {
    SANDBOX_URL: "base address of the service: paths begin with `/v1` behind it",
    SANDBOX_AUTH_URL: "base address of the token endpoint; the same",
    SANDBOX_TOKEN_URL: "the token endpoint itself",
    SANDBOX_CLIENT_ID: "client id of the default world",
    SANDBOX_CLIENT_SECRET: "its secret",
    SANDBOX_CONTROL_URL: "base address of the control API",
    SANDBOX_CONTROL_TOKEN:
      "the control token; needed on addresses that are not loopback, and everywhere if `--control-token` was given",
    SANDBOX_WEBHOOK_SECRET: "secret of the subscription that `--webhook-url` made, or empty",
  };
  return table(
    ["variable", "holds"],
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
