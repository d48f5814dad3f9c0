// What the command line, the tools for models and the words of a fault are made of: the members of inputs, and the operations with
// `x-cli`, of the control document. Small tables, since a command reads them before it does anything else.

/** The texts of the files that are made. */
export function controlTables(document) {
  const { schemas } = document.components;
  const input = schemas.FaultInput;
  const leaves = leavesOf(input, schemas);
  const chosen = chosenBy(input, leaves);
  const words = leaves.map(({ path, schema }) => ({
    path,
    words: schema["x-words"] ?? `${path} {}`,
    ...(chosen.includes(path) ? { does: true } : {}),
  }));
  return {
    "fault-words.json": words,
    "fault-input.json": {
      options: optionsOf(leaves, "FAULT"),
      chosen,
      members: argumentsOf(input, schemas),
      defaults: defaultsOf(leaves),
    },
  };
}

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
    const { default: usual, ...own } = resolved(node, schemas);
    const entries = Object.entries(own).filter(([name]) => !/^(x-|examples?$)/.test(name));
    const made = Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]));
    return usual === undefined ? made : { ...made, description: `${made.description} Default: ${usual}.` };
  };
  const asked = Object.entries(properties).filter(([, schema]) => !resolved(schema, schemas)["x-counted"]);
  return Object.fromEntries(asked.map(([name, schema]) => [name, plain(schema)]));
}

const isFlag = ({ type, enum: values }) => type === "boolean" && (values === undefined || values.includes(true));

/** The members that have no members, each with what it stands in. */
function leavesOf(schema, schemas, path = "") {
  return Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
    const member = resolved(of, schemas);
    const at = path ? `${path}.${name}` : name;
    if (member["x-counted"]) return [];
    if (member.type === "object" && member.properties && member["x-cli"] === undefined)
      return leavesOf(member, schemas, at);
    return [{ path: at, name, schema: member, beside: path ? besideOf(schema, name, path) : [] }];
  });
}

/** The members that must stand beside it. */
const besideOf = ({ required = [] }, name, path) =>
  required.includes(name) ? [] : required.map((other) => `${path}.${other}`);

/** One option for each name; leaves that share one are its choices. */
function optionsOf(leaves, prefix) {
  const named = new Map();
  for (const leaf of leaves.filter(({ schema }) => schema["x-cli"] !== false)) {
    const name = leaf.schema["x-cli"]?.option ?? leaf.name.replaceAll("_", "-");
    named.set(name, [...(named.get(name) ?? []), leaf]);
  }
  return [...named].map(([name, of]) => ({
    name,
    ...(of.length > 1 ? choiceOf(of) : plainOf(of[0])),
    ...(prefix ? { environment: `SANDBOX_${prefix}_${name.toUpperCase().replaceAll("-", "_")}` } : {}),
  }));
}

function choiceOf(leaves) {
  const choices = leaves.flatMap(({ name, path, schema }) =>
    isFlag(schema) ? [[name, [path, true]]] : schema.enum.map((value) => [value, [path, value]]),
  );
  const meaning = leaves.map(({ name, schema }) =>
    isFlag(schema) ? `\`${name}\`: ${lowered(schema.description)}` : schema.description,
  );
  return {
    kind: "text",
    placeholder: "how",
    meaning: meaning.join(" "),
    choices: choices.map(([name]) => name),
    puts: Object.fromEntries(choices),
  };
}

function plainOf({ path, schema, beside }) {
  const { description = "", "x-cli": words = {}, "x-default": usual } = schema;
  const types = [schema.type].flat();
  const isList = types.includes("array");
  const choices = isList ? schema.items?.enum : schema.enum;
  const kind = isFlag(schema) ? "flag" : isList ? "list" : isNumber(types) ? "number" : "text";
  const takesAll = types.includes("boolean") && types.length > 1;
  const form = isList ? "a,b" : choices ? "how" : kind === "number" ? "N" : "text";
  return {
    kind,
    ...(kind === "flag" ? {} : { placeholder: words.value ?? form }),
    meaning: helpOf(takesAll ? description.replace("`true` for all", "`all` for all") : description, choices),
    ...(usual === undefined ? {} : { default: usual }),
    ...(choices && kind !== "flag" ? { choices } : {}),
    put: path,
    ...(takesAll ? { all: true } : {}),
    ...(kind === "number" ? { range: rangeOf(schema) } : {}),
    ...(beside.length > 0 ? { beside } : {}),
  };
}

/** The first paragraph, with the choices that it does not name. */
function helpOf(description, choices = []) {
  const [first = ""] = description.split("\n\n");
  const others = choices.filter((choice) => !first.includes(choice));
  const known = others.length === choices.length ? "One of" : "Or";
  const named = others.length > 0 && others.length < 12 ? ` ${known} ${others.join(", ")}.` : "";
  return `${first.replace(/\s+/g, " ").trim()}${named}`;
}

const isNumber = (types) => types.includes("integer") || types.includes("number");
const lowered = (text) => text.charAt(0).toLowerCase() + text.slice(1);

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
