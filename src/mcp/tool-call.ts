// Runs a tool call, from its arguments to one page of its result. Errors name the tool's arguments and suggest calls to try.
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { SandboxError } from "../client/sandbox-error.ts";
import { describeSize } from "../engine/domain/index.ts";
import { getValue } from "../platform/member-paths.ts";
import { suggest } from "../platform/nearest.ts";
import { MAX_PAGE_BYTES, splitIntoPages } from "./result-pages.ts";
import { formatCall, formatToolError, type Session, type Tool, ToolRejection } from "./tool.ts";
import { tools } from "./tools/index.ts";

/** The long results per session whose pages can still be requested. A model rarely needs an older result than its last. */
const MAX_STORED_RESULTS = 8;

/** Returns the function that runs every tool call. It rejects only for a bug; an invalid argument is a result. */
export function createToolCaller(session: Session) {
  const storedPages = new Map<number, readonly string[]>();
  let resultCount = 0;

  /** Stores all pages of a result, so that they stay consistent when the world changes between two requests. */
  function storePages(pages: readonly string[]): number {
    storedPages.set(++resultCount, pages);
    storedPages.delete(resultCount - MAX_STORED_RESULTS);
    return resultCount;
  }

  function getPage(tool: Tool, cursor: unknown): string {
    // A cursor consists of the number of a result and the number of a page.
    const [, result, at] = /^(\d+)\.(\d+)$/.exec(String(cursor)) ?? [];
    const pages = storedPages.get(Number(result));
    if (!pages?.[Number(at) - 1]) {
      const message = `There is no page ${JSON.stringify(cursor)}. Call the tool again without the cursor.`;
      throw new ToolRejection(message, [formatCall(tool.name, tool.example)]);
    }
    return addPageNote(tool, pages, Number(result), Number(at));
  }

  return async (name: string, args: Record<string, unknown>) => {
    const tool = tools.find((each) => each.name === name);
    try {
      if (!tool)
        throw new ToolRejection(`There is no tool ${JSON.stringify(name)}.${suggest(name, toolNames)}`, OVERVIEW_CALL);
      // The other arguments are ignored, because the result of the cursor is already stored.
      if (args.cursor !== undefined) return { text: getPage(tool, args.cursor), failed: false };
      const pages = splitIntoPages(await tool.run(readArguments(tool, args) as never, session));
      const text = pages.length === 1 ? (pages[0] ?? "") : addPageNote(tool, pages, storePages(pages), 1);
      return { text, failed: false };
    } catch (reason) {
      return { text: formatRejection(reason, tool), failed: true };
    }
  };
}

const toolNames = tools.map(({ name }) => name);
const OVERVIEW_CALL = [formatCall("overview", {})];

/** Appends the page number, and the complete call that shows the next page. */
function addPageNote(tool: Tool, pages: readonly string[], result: number, at: number): string {
  const more = at < pages.length ? ` Next page: ${formatCall(tool.name, { cursor: `${result}.${at + 1}` })}` : "";
  return `${pages[at - 1]}\n[Page ${at} of ${pages.length}.${more}]`;
}

/** Ajv skips formats, because the sandbox checks them and returns its own messages. */
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, useDefaults: true, verbose: true });
const compiled = new Map<string, ValidateFunction>();

/** Returns a copy of the arguments with their defaults. */
function readArguments(tool: Tool, args: Record<string, unknown>): Record<string, unknown> {
  const { name, input, example } = tool;
  // Each schema is compiled on the first call of its tool, because most sessions use few tools.
  const validate = compiled.get(name) ?? ajv.compile(input);
  compiled.set(name, validate);
  // Ajv writes the defaults into its input, which belongs to the client.
  const read = structuredClone(args);
  if (validate(read)) return selectActionArguments(tool, args, read);
  const known = Object.keys(input.properties);
  const sentences = (validate.errors ?? []).map((error) => formatSchemaError(error, args, known));
  throw new ToolRejection(sentences.join(" "), [formatCall(name, example)]);
}

/** Returns the arguments of the action. Rejects arguments of other actions and missing required arguments. */
function selectActionArguments(tool: Tool, given: Record<string, unknown>, read: Record<string, unknown>) {
  const { name, actions, example, examples = [] } = tool;
  if (!actions?.by) return read;
  const { by, takes, must: required = {} } = actions;
  const action = String(read[by]);
  const known = [example, ...examples];
  const same = known.filter((each) => each[by] === action);
  const calls = (same.length > 0 ? same : known).map((each) => formatCall(name, each));
  // The check uses the original arguments, because a default of another action is not an error of the client.
  const extra = Object.keys(given).find((member) => member !== by && !takes[action]?.includes(member));
  if (extra !== undefined) {
    const others = Object.keys(takes).filter((each) => takes[each]?.includes(extra));
    throw new ToolRejection(`\`${extra}\` is not allowed with ${action}, only with ${others.join(" and ")}.`, calls);
  }
  // The schema covers all actions, so it can't contain the required arguments of this one.
  const missing = required[action]?.find((member) => read[member] === undefined);
  if (missing !== undefined) throw new ToolRejection(`\`${missing}\` is missing.`, calls);
  return Object.fromEntries(
    Object.entries(read).filter(([member]) => member === by || takes[action]?.includes(member)),
  );
}

function formatSchemaError(error: ErrorObject, args: Record<string, unknown>, known: readonly string[]): string {
  const { keyword, params, message = "does not fit" } = error;
  // Ajv's path points to the object, not to its unknown field.
  if (keyword === "additionalProperties") {
    const key = String(params.additionalProperty);
    return `There is no argument \`${shorten(key)}\` here.${suggest(key, known)}`;
  }
  const path = error.instancePath.split("/").slice(1);
  const value = getValue(args, path);
  const is = `\`${path.join(".")}\` is ${shorten(JSON.stringify(value) ?? "missing")}`;
  // Ajv's message is the pattern itself.
  if (keyword === "pattern") return `${is}. Expected: ${error.parentSchema?.description}`;
  if (keyword in LIMITS) return `${is}. It must be ${LIMITS[keyword]} ${params.limit}.`;
  if (keyword !== "enum") return `${is}. It ${describeSize(keyword, params.limit) ?? message}.`;
  const values: readonly unknown[] = params.allowedValues;
  return `${is}; it can be ${values.join(", ")}.${suggest(String(value), values.map(String))}`;
}

/** Ajv writes these as angle brackets, which a rejection may not contain. */
const LIMITS: Readonly<Record<string, string>> = {
  minimum: "at least",
  maximum: "at most",
  exclusiveMinimum: "more than",
};

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** Formats a rejection with suggested calls. Any other error is a bug and is thrown again. */
function formatRejection(reason: unknown, tool: Tool | undefined): string {
  if (!(reason instanceof ToolRejection) && !(reason instanceof SandboxError)) throw reason;
  const calls =
    reason instanceof ToolRejection ? reason.suggestions : tool ? [formatCall(tool.name, tool.example)] : OVERVIEW_CALL;
  const sentence = toOneLine(reason instanceof SandboxError ? formatToolError(reason) : reason.message);
  const lines = [`${sentence} [${reason.code}]`, ...calls.map((call) => `Try: ${call}`)].join("\n");
  return lines.length <= MAX_PAGE_BYTES ? lines : `${lines.slice(0, MAX_PAGE_BYTES)}…`;
}

/** Replaces line breaks and angle brackets, because a quoted value could otherwise look like a mark of untrusted data. */
const toOneLine = (text: string): string =>
  text.replace(/\s+/g, " ").replaceAll("<", "‹").replaceAll(">", "›").slice(0, 1500);
