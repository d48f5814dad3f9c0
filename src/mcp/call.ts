// A call of a tool, from its arguments to one page of its answer. What is wrong is said in the words of tools, with calls to try.
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { SandboxError } from "../client/sandbox-error.ts";
import { sizeInWords } from "../engine/domain/index.ts";
import { getValue } from "../platform/member-paths.ts";
import { suggest } from "../platform/nearest.ts";
import { LIMIT, pagesOf } from "./answer.ts";
import { callOf, type Session, type Tool, ToolRejection } from "./tool.ts";
import { formatToolError } from "./tool-error.ts";
import { tools } from "./tools/index.ts";

interface Answered {
  text: string;
  failed: boolean;
}

/**
 * Long answers whose other pages can still be asked for. Of a session; a model rarely goes back further than its last
 * answer.
 */
const MOST_RETAINED = 8;

/** Returns the one function that serves every call. It never rejects for a wrong argument, only for a bug. */
export function makeCalls(session: Session): (name: string, args: Record<string, unknown>) => Promise<Answered> {
  const recent = new Map<number, readonly string[]>();
  let answers = 0;

  /** An answer is made once, so that its pages fit together whatever happens meanwhile. */
  function keep(pages: readonly string[]): number {
    recent.set(++answers, pages);
    recent.delete(answers - MOST_RETAINED);
    return answers;
  }

  function pageAt(tool: Tool, cursor: unknown): string {
    // A cursor is the number of an answer and of a page of it.
    const [, answer, at] = /^(\d+)\.(\d+)$/.exec(String(cursor)) ?? [];
    const pages = recent.get(Number(answer));
    if (!pages?.[Number(at) - 1])
      throw new ToolRejection(`There is no page ${JSON.stringify(cursor)}. Ask again without the cursor.`, [
        callOf(tool.name, tool.example),
      ]);
    return withWayOn(tool, pages, Number(answer), Number(at));
  }

  return async (name, args) => {
    const tool = tools.find((each) => each.name === name);
    try {
      if (!tool)
        throw new ToolRejection(`There is no tool ${JSON.stringify(name)}.${suggest(name, namesOfTools)}`, ALL);
      // A cursor stands alone: the other arguments belong to the answer that was made.
      if (args.cursor !== undefined) return { text: pageAt(tool, args.cursor), failed: false };
      // All pages at once: between two pages the world may change, and the pages would not fit.
      const pages = pagesOf(await tool.run(readArguments(tool, args) as never, session));
      return { text: pages.length === 1 ? (pages[0] ?? "") : withWayOn(tool, pages, keep(pages), 1), failed: false };
    } catch (reason) {
      return { text: refused(reason, tool), failed: true };
    }
  };
}

const namesOfTools = tools.map(({ name }) => name);
const ALL = [callOf("overview", {})];

/** The page with its number and the call that shows the next one, ready to be copied. */
function withWayOn(tool: Tool, pages: readonly string[], answer: number, at: number): string {
  const more = at < pages.length ? ` The next: ${callOf(tool.name, { cursor: `${answer}.${at + 1}` })}` : "";
  return `${pages[at - 1]}\n[Page ${at} of ${pages.length}.${more}]`;
}

/** The sandbox judges formats, in its own words. */
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, useDefaults: true, verbose: true });
const compiled = new Map<string, ValidateFunction>();

/** A copy of the arguments, with the defaults of those that are left out. */
function readArguments(tool: Tool, args: Record<string, unknown>): Record<string, unknown> {
  const { name, input, example } = tool;
  // Compiled with the first call of a tool: most sessions use a few.
  const fits = compiled.get(name) ?? ajv.compile(input);
  compiled.set(name, fits);
  // Ajv writes the defaults into what it is given, which is the client's own.
  const read = structuredClone(args);
  if (fits(read)) return fittingAction(tool, args, read);
  const known = Object.keys(input.properties);
  throw new ToolRejection((fits.errors ?? []).map((error) => wordsOf(error, args, known)).join(" "), [
    callOf(name, example),
  ]);
}

/** An action takes its own members only, and not without those that it must have. */
function fittingAction(tool: Tool, given: Record<string, unknown>, read: Record<string, unknown>) {
  const { name, actions, example, examples = [] } = tool;
  // A tool without actions takes all of its members.
  if (!actions?.by) return read;
  const { by, takes, must = {} } = actions;
  const action = String(read[by]);
  const known = [example, ...examples];
  const same = known.filter((each) => each[by] === action);
  const tries = (same.length > 0 ? same : known).map((each) => callOf(name, each));
  // Looked for in what was given, not in what was read: a default of another action is nobody's mistake.
  const odd = Object.keys(given).find((member) => member !== by && !takes[action]?.includes(member));
  if (odd !== undefined) {
    const others = Object.keys(takes).filter((each) => takes[each]?.includes(odd));
    throw new ToolRejection(`\`${odd}\` does not go with ${action}, but with ${others.join(" and ")}.`, tries);
  }
  // One schema serves all actions, so it can't say which members this one needs.
  const missing = must[action]?.find((member) => read[member] === undefined);
  if (missing !== undefined) throw new ToolRejection(`\`${missing}\` is missing.`, tries);
  return Object.fromEntries(
    Object.entries(read).filter(([member]) => member === by || takes[action]?.includes(member)),
  );
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** What fits, by the keyword that is broken. Where there is no entry, Ajv's own words stand. */
const RIGHT: Readonly<Record<string, (error: ErrorObject) => string>> = {
  type: ({ params }) => `Give ${nameTypes(params.type)}.`,
  minimum: ({ params }) => `Give ${params.limit} or more.`,
  maximum: ({ params }) => `Give ${params.limit} or less.`,
  exclusiveMinimum: ({ params }) => `Give more than ${params.limit}.`,
  pattern: ({ parentSchema }) => `It does not fit "${parentSchema?.description}"`,
};

const nameTypes = (types: string | string[]): string =>
  [types]
    .flat()
    .map((type) => TYPES[type] ?? type)
    .join(" or ");

function wordsOf(error: ErrorObject, args: Record<string, unknown>, known: readonly string[]): string {
  const { keyword, params, message = "does not fit" } = error;
  // Ajv's path leads to the object, and not to the member that is too much.
  if (keyword === "additionalProperties") {
    const key = String(params.additionalProperty);
    return `There is no argument \`${short(key)}\` here.${suggest(key, known)}`;
  }
  const path = error.instancePath.split("/").slice(1);
  const given = getValue(args, path);
  const is = `\`${path.join(".")}\` is ${short(JSON.stringify(given) ?? "missing")}`;
  if (keyword !== "enum")
    return `${is}. ${RIGHT[keyword]?.(error) ?? `It ${sizeInWords(keyword, params.limit) ?? message}.`}`;
  const values: readonly unknown[] = params.allowedValues;
  return `${is}; it can be ${values.join(", ")}.${suggest(String(given), values.map(String))}`;
}

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/**
 * A refusal in words, with calls that work. Anything but a refusal or an answer of the sandbox is a bug, and is thrown.
 */
function refused(reason: unknown, tool: Tool | undefined): string {
  if (!(reason instanceof ToolRejection) && !(reason instanceof SandboxError)) throw reason;
  const tries = reason instanceof ToolRejection ? reason.tries : tool ? [callOf(tool.name, tool.example)] : ALL;
  const sentence = oneLine(reason instanceof SandboxError ? formatToolError(reason) : reason.message);
  const lines = [`${sentence} [${reason.code}]`, ...tries.map((call) => `Try: ${call}`)].join("\n");
  return lines.length <= LIMIT - 400 ? lines : `${lines.slice(0, LIMIT - 400)}…`;
}

/** A sentence of ours may cite what somebody sent. A line break or a bracket in it could look like one of the marks. */
const oneLine = (text: string): string =>
  text.replace(/\s+/g, " ").replaceAll("<", "‹").replaceAll(">", "›").slice(0, 1500);
