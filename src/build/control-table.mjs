// Builds the tables of the command line, of the MCP tools and of the words of a fault from the control document: from fields of inputs, and
// from operations with `x-cli` or `x-mcp`. The tables are small, because each command reads them first.

/** Returns the values of the JSON files. JSON omits fields that are undefined. */
export function buildControlTables(document) {
  const { schemas } = document.components;
  const input = schemas.FaultInput;
  const leaves = listLeaves(input, schemas);
  // The chosen fields define an effect. The others define its time and place.
  const chosen = listChosenPaths(input, leaves);
  const words = leaves.map(({ path, schema }) => ({
    path,
    words: schema["x-words"] ?? `${path} {}`,
    does: chosen.includes(path) || undefined,
  }));
  const tools = groupBy(listUses(document, "x-mcp"), ({ words: { tool } }) => tool);
  return {
    "fault-words.json": words,
    "commands.json": {
      groups: document["x-cli-groups"],
      commands: buildCommands(document),
      quotas: listQuotas(schemas),
    },
    "tools.json": Object.fromEntries([...tools].map(([name, uses]) => [name, buildTool(uses, schemas)])),
    "fault-input.json": {
      chosen,
      members: resolveProperties(input, schemas),
      // The values that clients send by default.
      defaults: Object.fromEntries(
        leaves.filter(({ schema }) => "x-default" in schema).map(({ path, schema }) => [path, schema["x-default"]]),
      ),
    },
  };
}

/** Lists the uses of `x-cli` or `x-mcp`, each with its operation and the parameters. */
function listUses({ paths, components }, key) {
  return Object.entries(paths).flatMap(([path, { parameters = [], ...methods }]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const all = [...parameters, ...(operation.parameters ?? [])];
      const about = { method: method.toUpperCase(), path, operation };
      const resolved = all.map((each) => resolveReference(each, components.parameters));
      return [operation[key] ?? []].flat().map((words) => ({ ...about, parameters: resolved, words }));
    }),
  );
}

/** Groups the items in order. */
function groupBy(items, getKey) {
  const groups = new Map();
  for (const item of items) groups.set(getKey(item), [...(groups.get(getKey(item)) ?? []), item]);
  return groups;
}

/** Lists the quotas of a team with their options. */
const listQuotas = (schemas) =>
  listLeaves(schemas.Quotas, schemas).map(({ name: member, schema }) => ({
    member,
    option: nameOption(member, schema),
    unit: schema["x-words"] ?? member.replaceAll("_", " "),
    meaning: schema.description,
  }));

/** Builds the commands of the operations with `x-cli`. If operations share a command, its argument and its flags choose the operation. */
function buildCommands(document) {
  const rows = listUses(document, "x-cli").map((use) => buildRow(use, document.components.schemas));
  // JSON drops fields that are undefined, which would otherwise replace those of another operation.
  return [...groupBy(JSON.parse(JSON.stringify(rows)), ({ command }) => command).values()].map(joinRows);
}

/** Joins operations that share a command. An option that some operations lack lists its operations. */
function joinRows(rows) {
  if (rows.length === 1) return rows[0];
  const options = rows.flatMap((row) => row.options);
  // The first operation with an option describes it.
  const isFirst = ({ name }, at) => options.findIndex((each) => each.name === name) === at;
  const findCalls = ({ name, chooses }) => {
    const of = [...rows.keys()].filter((call) => rows[call].options.some((each) => each.name === name));
    return chooses || of.length === rows.length ? {} : { of };
  };
  const words = rows.flatMap((row) => row.arguments).slice(0, 1);
  return {
    ...Object.assign({}, ...rows.toReversed()),
    calls: rows.flatMap(({ calls }) => calls),
    arguments: words.map((word) => ({ ...word, form: word.form.replace(/^<(.*)>$/, "[$1]") })),
    options: options.filter(isFirst).map((option) => ({ ...option, ...findCalls(option) })),
  };
}

/** Builds the JSON Schema of an MCP tool from the operations of its actions, with the allowed and required fields of each action. */
function buildTool(uses, schemas) {
  const fields = uses.map((use) => listActionFields(use, schemas));
  // A tool with a single action needs no choice.
  const named = uses.flatMap(({ words }, at) => (words.action === undefined ? [] : [{ ...words, taken: fields[at] }]));
  const by = named.length > 0 ? (named[0].by ?? "action") : null;
  // The first action is the default, unless another is marked. Models read the reasons for each action in the description.
  const reasons = named.flatMap(({ action, when }) => (when ? [`${action}: ${when}.`] : []));
  const chooser = {
    type: "string",
    enum: named.map(({ action }) => action),
    default: (named.find(({ usual }) => usual) ?? named[0])?.action,
    description: reasons.join(" ") || undefined,
  };
  const members = Object.fromEntries(fields.flat().map(({ as, schema }) => [as, schema]));
  const mapActions = (isListed) =>
    Object.fromEntries(named.map(({ action, taken }) => [action, taken.filter(isListed).map(({ as }) => as)]));
  return {
    input: { type: "object", properties: { ...(by && { [by]: chooser }), ...members }, additionalProperties: false },
    by,
    takes: mapActions(() => true),
    must: mapActions(({ must }) => must),
  };
}

/** Lists the fields of an action: those in `takes`, or all parameters and fields of `input` except those in `without`. */
function listActionFields({ words: { input, without = [], takes }, parameters }, schemas) {
  const own = listParameters(parameters, schemas);
  const properties = Object.fromEntries(own.map(({ name, schema }) => [name, schema]));
  const members = resolveProperties({ properties: { ...properties, ...schemas[input]?.properties } }, schemas);
  const names = Object.keys(takes ?? members).filter((name) => !without.includes(name));
  return names.map((name) => {
    // A misspelt name in the document fails the build, not the run.
    if (!members[name]) throw new Error(`x-mcp: the input has no parameter or field ${name}.`);
    const needed = own.some((each) => each.name === name && each.required);
    const { as = name, must = needed, ...described } = takes?.[name] ?? {};
    return { as, must, schema: { ...members[name], ...described } };
  });
}

function buildRow({ method, path, operation, parameters, words: given }, schemas) {
  const { command, help, input, flag, begins, body, arguments: words = {}, ...about } = given;
  const { options = {}, notes, values, examples = [], ...prints } = about;
  const leaves = input
    ? listLeaves(schemas[input], schemas, "body")
    : [...listParameters(parameters, schemas), ...("body" in words ? [BODY_LEAF] : listBodyFields(operation, schemas))];
  const optionLeaves = leaves
    .filter(({ name }) => !(name in words) && !(name in (body ?? {})))
    .map((leaf) => ({ ...leaf, schema: overrideSchema(leaf.schema, options[leaf.name]) }));
  // Help prints a long list of values below the options, one value per line.
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
    arguments: Object.entries(words).map(([name, word]) => buildArgument(leaves, name, word)),
    options: [...buildOptions(optionLeaves), ...(flag ? [{ kind: "flag", ...flag, chooses: true }] : [])],
    epilogue: epilogue.filter(Boolean).join("\n\n") || undefined,
    ofWorld: parameters.some(({ name }) => name === "world"),
    ...prints,
  };
}

/** An argument that is the complete body. */
const BODY_LEAF = { name: "body", path: "body", required: true, schema: {} };

/** Replaces settings of the specification for a field by those of a command. `false` omits the option. */
function overrideSchema(schema, settings) {
  if (settings === undefined) return schema;
  if (settings === false) return { ...schema, "x-cli": false };
  const { help: description = schema.description, default: byDefault = schema["x-default"], ...form } = settings;
  const given = byDefault === undefined ? {} : { "x-default": byDefault };
  return { ...schema, "x-cli": { ...schema["x-cli"], ...form }, description, ...given };
}

/** Builds an argument. `word` is its help or its settings. The command itself uses an argument with `extra`. */
function buildArgument(leaves, name, word) {
  const { as = name, form, extra, ...described } = typeof word === "string" ? { help: word } : word;
  const { help, default: byDefault, rest, own, must } = described;
  const { path, schema, required } = leaves.find((leaf) => leaf.name === name) ?? { path: extra && `extra.${name}` };
  if (!path) throw new Error(`x-cli: the operation has no parameter or body field for the argument ${name}.`);
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

/** The form of a text, which the command checks before it sends a request. */
const FORMS = { duration: "duration", "date-time": "instant" };

const listParameters = (parameters, schemas) =>
  parameters
    .filter(({ name }) => name !== "world" && name !== "sandbox-world")
    .map(({ name, in: section, required, description, schema }) => ({
      path: `${section}.${name}`,
      name,
      required,
      schema: { ...resolveReference(schema, schemas), description },
    }));

function listBodyFields({ requestBody }, schemas) {
  const schema = requestBody?.content?.["application/json"]?.schema;
  return schema ? listLeaves(resolveReference(schema, schemas), schemas, "body") : [];
}

/** Resolves a reference. Fields beside `$ref` replace those of the target. */
function resolveReference(schema, schemas) {
  if (!schema.$ref) return schema;
  const { $ref, ...own } = schema;
  return { ...resolveReference(schemas[$ref.split("/").at(-1)], schemas), ...own };
}

/** Returns the properties without references. A default is only described, because models would send a `default` of the schema. */
function resolveProperties({ properties }, schemas) {
  const resolveNode = (node) => {
    if (Array.isArray(node)) return node.map(resolveNode);
    if (typeof node !== "object" || node === null) return node;
    const { default: byDefault, ...own } = resolveReference(node, schemas);
    const entries = Object.entries(own).filter(([name]) => !/^(x-|examples?$)/.test(name));
    const made = Object.fromEntries(entries.map(([name, value]) => [name, resolveNode(value)]));
    return byDefault === undefined ? made : { ...made, description: `${made.description} Default: ${byDefault}.` };
  };
  const wanted = Object.entries(properties).filter(([, schema]) => !resolveReference(schema, schemas)["x-counted"]);
  return Object.fromEntries(wanted.map(([name, schema]) => [name, resolveNode(schema)]));
}

const isFlag = ({ type, enum: values }) => type === "boolean" && (values === undefined || values.includes(true));

/** Lists the fields without fields of their own, each with its path. */
function listLeaves(schema, schemas, path = "") {
  return Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
    const member = resolveReference(of, schemas);
    const at = path ? `${path}.${name}` : name;
    // Clients can't set the counters of the sandbox.
    if (member["x-counted"]) return [];
    if (member.type === "object" && member.properties && member["x-cli"] === undefined)
      return listLeaves(member, schemas, at);
    const required = schema.required?.includes(name);
    // An optional field beside required ones has no effect without them.
    return [{ path: at, name, schema: member, required, isModifier: !required && schema.required?.length > 0 }];
  });
}

/** Lists the paths of which an input must have one: the fields in `anyOf` of the schema, and the required fields of their objects. */
function listChosenPaths(schema, leaves) {
  const branches = [schema, ...(schema.allOf ?? [])].flatMap(({ anyOf = [] }) => anyOf);
  const names = branches.flatMap(({ required = [] }) => required);
  const isTopLevel = (path) => !path.includes(".");
  return leaves
    .filter(({ path }) => names.includes(path.split(".")[0]))
    .filter(({ path, isModifier }) => isTopLevel(path) || !isModifier)
    .map(({ path }) => path);
}

/** Builds one option for each name. Fields that share a name are its choices. */
function buildOptions(leaves) {
  // Descriptions of options name other options.
  const names = new Map(leaves.map(({ name, schema }) => [name, nameOption(name, schema)]));
  const visible = leaves.filter(({ schema }) => schema["x-cli"] !== false);
  return [...groupBy(visible, ({ name }) => names.get(name))].map(([name, of]) => ({
    name,
    ...(of.length > 1 ? formatChoice(of, names) : formatPlainLeaf(of[0], names)),
  }));
}

/** Options have hyphens where fields have underscores. */
const nameOption = (member, { "x-cli": { option = member.replaceAll("_", "-") } = {} }) => option;

function formatChoice(leaves, names) {
  const choices = leaves.flatMap(({ name, path, schema }) =>
    isFlag(schema) ? [[name, [path, true]]] : schema.enum.map((value) => [value, [path, value]]),
  );
  const meanings = leaves.map(({ name, schema: { description, ...schema } }) =>
    isFlag(schema) ? `\`${name}\`: ${description.charAt(0).toLowerCase()}${description.slice(1)}` : description,
  );
  const values = choices.map(([name]) => name);
  return {
    kind: "text",
    placeholder: "how",
    meaning: formatHelp(meanings.join(" "), names, values),
    choices: values,
    puts: Object.fromEntries(choices),
  };
}

function formatPlainLeaf({ path, schema }, names) {
  const { description = "", "x-cli": words = {}, "x-default": byDefault } = schema;
  const types = [schema.type].flat();
  const read = words.form ?? FORMS[schema.format];
  const isList = types.includes("array") || read === "sets";
  const isNumber = !types.includes("string") && (types.includes("integer") || types.includes("number"));
  // A text with a form has no list of choices.
  const choices = read ? undefined : isList ? schema.items?.enum : schema.enum;
  const kind = isFlag(schema) ? "flag" : isList ? "list" : isNumber && !read ? "number" : "text";
  // The option accepts a list or `all`.
  const takesAll = types.includes("boolean") && types.length > 1;
  // Help shows this placeholder for the value. A list is one word with commas.
  const form = isList ? "a,b" : choices ? "how" : kind === "number" ? "N" : "text";
  const meaning = takesAll ? description.replace("`true` for all", "`all` for all") : description;
  return {
    kind,
    placeholder: kind === "flag" ? undefined : (words.value ?? form),
    meaning: formatHelp(meaning, names, choices),
    default: byDefault,
    choices: kind === "flag" ? undefined : choices,
    put: path,
    all: takesAll || undefined,
    read,
    setting: words.setting,
    own: words.own,
  };
}

/** Returns the first paragraph, in which fields are replaced by their options, but values are not. */
function formatHelp(description, names, values = []) {
  const [first = ""] = description.split("\n\n");
  return first
    .replace(/\s+/g, " ")
    .trim()
    .replace(/`(\w+)`/g, (text, name) => {
      const option = names.get(name);
      return option === undefined || option === name || values.includes(name) ? text : `--${option}`;
    });
}
