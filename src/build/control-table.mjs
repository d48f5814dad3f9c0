// What the command line, the tools for models and the words of a fault are made of: the members of inputs, and the operations with
// `x-cli`, of the control document. Small tables, since a command reads them before it does anything else.

/** Returns the values of the JSON files; a member that is undefined is none of them. */
export function controlTables(document) {
  const { schemas } = document.components;
  const input = schemas.FaultInput;
  const leaves = leavesOf(input, schemas);
  // Members that do something; the others say when and where.
  const chosen = chosenBy(input, leaves);
  const words = leaves.map(({ path, schema }) => ({
    path,
    words: schema["x-words"] ?? `${path} {}`,
    does: chosen.includes(path) || undefined,
  }));
  return {
    "fault-words.json": words,
    "commands.json": { groups: document["x-cli-groups"], commands: commandsOf(document), quotas: quotasOf(schemas) },
    "tools.json": toolsOf(document),
    "fault-input.json": {
      chosen,
      members: argumentsOf(input, schemas),
      defaults: defaultsOf(leaves),
    },
  };
}

/** The text of a module: the members that say what a fault of requests does. */
export function faultTypes({ components: { schemas } }) {
  const chosen = chosenBy(schemas.FaultInput, leavesOf(schemas.FaultInput, schemas));
  // A fault of deliveries has members of its own, and never stands beside one of requests.
  const names = [...new Set(chosen.map((path) => path.split(".")[0]))].filter((name) => name !== "delivery");
  const union = names.map((name) => JSON.stringify(name)).join(" | ");
  return `// Generated from spec/control/schemas/faults.yaml; not edited by hand.\nexport type OfRequests = ${union};\n`;
}

/** The quotas of a team, each with its option. */
const quotasOf = (schemas) =>
  leavesOf(schemas.Quotas, schemas).map(({ name: member, schema }) => ({
    member,
    option: optionName(member, schema),
    unit: schema["x-words"] ?? member.replaceAll("_", " "),
    meaning: schema.description,
  }));

/** The commands of the operations with `x-cli`. Operations that share one are its calls: its argument and its flags choose. */
function commandsOf({ paths, components }) {
  const rows = new Map();
  const lists = listsOf(paths, components);
  for (const [path, { parameters = [], ...methods }] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods))
      for (const words of [operation["x-cli"] ?? []].flat()) {
        const all = [...parameters, ...(operation.parameters ?? [])].map((each) =>
          resolved(each, components.parameters),
        );
        const about = { method: method.toUpperCase(), path, operation, parameters: all, words, lists };
        // Without the members that are undefined, which would hide those of another call.
        const row = JSON.parse(JSON.stringify(rowOf(about, components.schemas)));
        rows.set(row.command, [...(rows.get(row.command) ?? []), row]);
      }
  return [...rows.values()].map(joined);
}

/** Paths that list what others name by a parameter behind them: path → the member that names one. */
function listsOf(paths, { schemas }) {
  const items = (path) => {
    const answer = paths[path]?.get?.responses["200"]?.content?.["application/json"]?.schema;
    const list = answer && resolved(answer, schemas).properties?.items?.items;
    return list && resolved(list, schemas).properties;
  };
  const named = Object.keys(paths).flatMap((path) => {
    const [, list, name] = /^([^{]+)\/\{(\w+)\}/.exec(path) ?? [];
    const members = list && items(list);
    // A parameter has the name of the member, or it is an id.
    const member = [name, "id"].find((each) => members && each in members);
    return member ? [[`${list}/{${name}}`, { path: list, member }]] : [];
  });
  return Object.fromEntries(named);
}

/** The words are those of the first of them. An option that not every call has says of which calls it is. */
function joined(rows) {
  if (rows.length === 1) return rows[0];
  const options = rows.flatMap((row) => row.options);
  // The first call that has an option words it.
  const isFirst = ({ name }, at) => options.findIndex((each) => each.name === name) === at;
  const callsOf = ({ name, chooses }) => {
    const of = [...rows.keys()].filter((call) => rows[call].options.some((each) => each.name === name));
    return chooses || of.length === rows.length ? {} : { of };
  };
  const words = rows.flatMap((row) => row.arguments).slice(0, 1);
  return {
    ...Object.assign({}, ...rows.toReversed()),
    calls: rows.flatMap(({ calls }) => calls),
    arguments: words.map((word) => ({ ...word, form: word.form.replace(/^<(.*)>$/, "[$1]") })),
    options: options.filter(isFirst).map((option) => ({ ...option, ...callsOf(option) })),
  };
}

/** What each tool takes, of the operations that are its actions: the JSON Schema that is listed, which action takes what, and what it must have. */
function toolsOf({ paths, components }) {
  const tools = {};
  for (const { parameters = [], ...methods } of Object.values(paths))
    for (const operation of Object.values(methods))
      for (const words of [operation["x-mcp"] ?? []].flat()) {
        const own = [...parameters, ...(operation.parameters ?? [])];
        const all = own.map((each) => resolved(each, components.parameters));
        tools[words.tool] = [...(tools[words.tool] ?? []), toolAction(words, all, components.schemas)];
      }
  return Object.fromEntries(Object.entries(tools).map(([name, actions]) => [name, listed(actions)]));
}

/** Out of its parameters and its `input`: those that `takes` names, in the tool's own words, or all but those `without`. */
function toolAction(
  { action, by = "action", when, usual: isDefault, input, without = [], takes },
  parameters,
  schemas,
) {
  const own = parametersOf(parameters, schemas);
  const properties = Object.fromEntries(own.map(({ name, schema }) => [name, schema]));
  const members = argumentsOf({ properties: { ...properties, ...schemas[input]?.properties } }, schemas);
  const names = Object.keys(takes ?? members).filter((name) => !without.includes(name));
  const taken = names.map((name) => {
    // A misspelt name in the document fails the build, not the run.
    if (!members[name]) throw new Error(`x-mcp: ${name} is no parameter and no member of the input.`);
    const needed = own.some((each) => each.name === name && each.required);
    const { as = name, must = needed, ...described } = takes?.[name] ?? {};
    return { as, must, schema: { ...members[name], ...described } };
  });
  return { action, by, when, usual: isDefault, taken };
}

function listed(actions) {
  // A tool with a single action needs no choice.
  const named = actions.filter(({ action }) => action !== undefined);
  const by = named[0]?.by;
  const reasons = named.flatMap(({ action, when }) => (when ? [`${action}: ${when}.`] : []));
  const first = named.find(({ usual: isDefault }) => isDefault) ?? named[0];
  // The first is the default unless one says so; its reasons are told in the description, where models look.
  const chooser = {
    type: "string",
    enum: named.map(({ action }) => action),
    default: first?.action,
    description: reasons.join(" ") || undefined,
  };
  const members = actions.flatMap(({ taken }) => taken.map(({ as, schema }) => [as, schema]));
  const properties = { ...(by && { [by]: chooser }), ...Object.fromEntries(members) };
  const namesOf = (taken) => taken.map(({ as }) => as);
  return {
    input: { type: "object", properties, additionalProperties: false },
    by: by ?? null,
    takes: Object.fromEntries(named.map(({ action, taken }) => [action, namesOf(taken)])),
    must: Object.fromEntries(named.map(({ action, taken }) => [action, namesOf(taken.filter(({ must }) => must))])),
  };
}

function rowOf({ method, path, operation, parameters, words: given, lists }, schemas) {
  const { command, help, input, idle, flag, begins, body, arguments: words = {}, ...about } = given;
  const { options = {}, notes, values, examples = [], ...prints } = about;
  const leaves = input
    ? leavesOf(schemas[input], schemas, "body")
    : [...parametersOf(parameters, schemas), ...("body" in words ? [WHOLE] : bodyOf(operation, schemas))];
  const leavesWanted = leaves
    .filter(({ name }) => !(name in words) && !(name in (body ?? {})))
    .map((leaf) => ({ ...leaf, schema: { ...leaf.schema, ...noteOf(options[leaf.name], leaf.schema) } }));
  // A long list of values is printed below the options, where it has lines of its own.
  const known = values && leaves.find(({ name }) => name in words).schema.enum;
  const epilogue = [
    examples.map((line) => `  sandbox ${line}`).join("\n"),
    known && [`${values}:`, ...known.map((value) => `  ${value}`)].join("\n"),
    notes?.trimEnd(),
  ];
  return {
    command,
    summary: help ?? operation.summary,
    calls: [{ method, path, flag: flag?.name, begins, body }],
    arguments: Object.entries(words).map(([name, word]) => ({
      ...argumentOf(leaves, name, word),
      list: lists[`${path.split("/{")[0]}/{${name}}`],
    })),
    options: [...optionsOf(leavesWanted), ...(flag ? [{ kind: "flag", ...flag, chooses: true }] : [])],
    idle: idle && { without: withoutOf(schemas[input], leaves), sentence: idle },
    epilogue: epilogue.filter(Boolean).join("\n\n") || undefined,
    ofWorld: parameters.some(({ name }) => name === "world"),
    ...prints,
  };
}

/** The members without which the input of a body does nothing. */
const withoutOf = (schema, leaves) =>
  chosenBy(
    schema,
    leaves.map((leaf) => ({ ...leaf, path: leaf.path.replace(/^body\./, "") })),
  ).map((path) => `body.${path}`);

/** A body that is one argument. */
const WHOLE = { name: "body", path: "body", required: true, schema: {} };

/** What the command says of a member in the place of the specification: false leaves it out. */
function noteOf(own, { "x-cli": known = {} }) {
  if (own === undefined) return {};
  if (own === false) return { "x-cli": false };
  const { help, default: byDefault, ...form } = own;
  return {
    "x-cli": { ...known, ...form },
    ...(help ? { description: help } : {}),
    ...(byDefault === undefined ? {} : { "x-default": byDefault }),
  };
}

/** `word`: its meaning, or that with the name that it has here. One with `extra` is of no operation: the command does something with it. */
function argumentOf(leaves, name, word) {
  const { as = name, form, extra, ...described } = typeof word === "string" ? { help: word } : word;
  const { help, default: byDefault, rest, own, must } = described;
  const { path, schema, required } = leaves.find((leaf) => leaf.name === name) ?? { path: extra && `extra.${name}` };
  if (!path) throw new Error(`x-cli: the argument ${name} is no parameter and no member of the body.`);
  const mustBe = (required || must) && byDefault === undefined && !own && !rest;
  return {
    form: rest ? `[${as}...]` : mustBe ? `<${as}>` : `[${as}]`,
    meaning: help ?? schema.description,
    put: path,
    default: byDefault,
    read: form ?? FORMS[schema?.format],
    own,
  };
}

/** How a text is read: what is wrong with it is said before anything is sent. */
const FORMS = { duration: "duration", "date-time": "instant" };

const parametersOf = (parameters, schemas) =>
  parameters
    .filter(({ name }) => name !== "world" && name !== "sandbox-world")
    .map(({ name, in: section, required, description, schema }) => ({
      path: `${section}.${name}`,
      name,
      required,
      beside: [],
      schema: { ...resolved(schema, schemas), description },
    }));

function bodyOf({ requestBody }, schemas) {
  const schema = requestBody?.content?.["application/json"]?.schema;
  return schema ? leavesOf(resolved(schema, schemas), schemas, "body") : [];
}

/** What stands beside a `$ref` wins over what it refers to. */
const resolved = (schema, schemas) => {
  if (!schema.$ref) return schema;
  const { $ref, ...own } = schema;
  return { ...resolved(schemas[$ref.split("/").at(-1)], schemas), ...own };
};

/** What clients send where nothing is given. */
const defaultsOf = (leaves) =>
  Object.fromEntries(
    leaves.filter(({ schema }) => "x-default" in schema).map(({ path, schema }) => [path, schema["x-default"]]),
  );

/** The members as a JSON Schema that stands alone: what a tool takes. Whoever reads it would fill in a default, so it is said only. */
function argumentsOf({ properties }, schemas) {
  const plain = (node) => {
    if (Array.isArray(node)) return node.map(plain);
    if (typeof node !== "object" || node === null) return node;
    const { default: byDefault, ...own } = resolved(node, schemas);
    const entries = Object.entries(own).filter(([name]) => !/^(x-|examples?$)/.test(name));
    const made = Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]));
    return byDefault === undefined ? made : { ...made, description: `${made.description} Default: ${byDefault}.` };
  };
  const wanted = Object.entries(properties).filter(([, schema]) => !resolved(schema, schemas)["x-counted"]);
  return Object.fromEntries(wanted.map(([name, schema]) => [name, plain(schema)]));
}

const isFlag = ({ type, enum: values }) => type === "boolean" && (values === undefined || values.includes(true));

/** The members that have no members, each with what it stands in. */
function leavesOf(schema, schemas, path = "") {
  return Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
    const member = resolved(of, schemas);
    const at = path ? `${path}.${name}` : name;
    // What the sandbox counts itself is no input.
    if (member["x-counted"]) return [];
    if (member.type === "object" && member.properties && member["x-cli"] === undefined)
      return leavesOf(member, schemas, at);
    const beside = path && path !== "body" ? besideOf(schema, name, path) : [];
    return [{ path: at, name, schema: member, required: schema.required?.includes(name), beside }];
  });
}

/** The members that must stand beside it. */
const besideOf = ({ required = [] }, name, path) =>
  required.includes(name) ? [] : required.map((other) => `${path}.${other}`);

/** One option for each name; leaves that share one are its choices. */
function optionsOf(leaves) {
  const named = new Map();
  // The option of each member, for texts that name another one.
  const names = new Map(leaves.map(({ name, schema }) => [name, optionName(name, schema)]));
  for (const leaf of leaves.filter(({ schema }) => schema["x-cli"] !== false)) {
    const name = optionName(leaf.name, leaf.schema);
    named.set(name, [...(named.get(name) ?? []), leaf]);
  }
  return [...named].map(([name, of]) => ({
    name,
    ...(of.length > 1 ? formatChoice(of, names) : formatPlainLeaf(of[0], names)),
  }));
}

/** Options are written with hyphens, members with underscores. */
const optionName = (member, { "x-cli": { option = member.replaceAll("_", "-") } = {} }) => option;

function formatChoice(leaves, names) {
  const choices = leaves.flatMap(({ name, path, schema }) =>
    isFlag(schema) ? [[name, [path, true]]] : schema.enum.map((value) => [value, [path, value]]),
  );
  const meaning = leaves.map(({ name, schema }) =>
    isFlag(schema) ? `\`${name}\`: ${lowered(schema.description)}` : schema.description,
  );
  return {
    kind: "text",
    placeholder: "how",
    meaning: formatHelp(
      meaning.join(" "),
      names,
      choices.map(([name]) => name),
    ),
    choices: choices.map(([name]) => name),
    puts: Object.fromEntries(choices),
  };
}

function formatPlainLeaf({ path, schema, beside }, names) {
  const { description = "", "x-cli": words = {}, "x-default": byDefault } = schema;
  const types = [schema.type].flat();
  const read = words.form ?? FORMS[schema.format];
  const isList = types.includes("array") || read === "sets";
  // A text that is read by its form has no list of choices.
  const choices = read ? undefined : isList ? schema.items?.enum : schema.enum;
  const kind = isFlag(schema) ? "flag" : isList ? "list" : isNumber(types) && !read ? "number" : "text";
  // A list, or `all` in its place.
  const takesAll = types.includes("boolean") && types.length > 1;
  // What stands for the value in the help; a comma says that a list may be written as one word.
  const form = isList ? "a,b" : choices ? "how" : kind === "number" ? "N" : "text";
  return {
    kind,
    placeholder: kind === "flag" ? undefined : (words.value ?? form),
    meaning: formatHelp(
      takesAll ? description.replace("`true` for all", "`all` for all") : description,
      names,
      choices,
    ),
    default: byDefault,
    choices: kind === "flag" ? undefined : choices,
    put: path,
    all: takesAll || undefined,
    range: kind === "number" ? rangeOf(schema) : undefined,
    beside: beside.length > 0 ? beside : undefined,
    read,
    setting: words.setting,
    own: words.own,
  };
}

/** The first paragraph. A member in it has the name of its option; a value keeps its own. */
function formatHelp(description, names, values = []) {
  const [first = ""] = description.split("\n\n");
  return first
    .replace(/\s+/g, " ")
    .trim()
    .replace(/`(\w+)`/g, (whole, name) => {
      const option = names.get(name);
      return option === undefined || option === name || values.includes(name) ? whole : `--${option}`;
    });
}

const isNumber = (types) => !types.includes("string") && (types.includes("integer") || types.includes("number"));
const lowered = (text) => text.charAt(0).toLowerCase() + text.slice(1);

/** `above` is exclusive, the others are inclusive. */
function rangeOf({ type, minimum, exclusiveMinimum, maximum }) {
  return { whole: type === "integer", least: minimum, above: exclusiveMinimum, most: maximum };
}

/** The members one of which an input must have: those that the choice in the schema names, and what their objects must have. */
function chosenBy(schema, leaves) {
  const branches = [schema, ...(schema.allOf ?? [])].flatMap(({ anyOf = [] }) => anyOf);
  const names = branches.flatMap(({ required = [] }) => required);
  return leaves
    .filter(({ path, beside }) => names.includes(path.split(".")[0]) && beside.length === 0)
    .map(({ path }) => path);
}
