// A served document as a client has it: its examples, sent one after the other as an importer would, and whether an answer is
// what it promises. An AJV of its own judges, with nothing of ours in between.
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

type Node = Record<string, unknown>;
interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  example?: unknown;
}
interface Response {
  content?: Record<string, { schema: object }>;
  links?: Record<string, { operationId: string; parameters: Record<string, string> }>;
}
interface Operation {
  operationId: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { examples?: Record<string, { value: unknown }> }> };
  responses: Record<string, Response | { $ref: string }>;
}
export interface Answered {
  status: number;
  body: unknown;
}
/** What was sent for an example, and what came. */
export interface Played extends Answered {
  what: string;
  operationId: string;
}

export class Documented {
  readonly document: Node;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, validateSchema: false });

  constructor(document: Node) {
    this.document = document;
    addFormats(this.#ajv);
    this.#ajv.addSchema(document, "document");
  }

  /** Path, method and operation, in the order of the document. */
  *operations(): Generator<{ path: string; method: string; operation: Operation }> {
    for (const [path, item] of Object.entries(this.document.paths as Record<string, Record<string, Operation>>))
      for (const [method, operation] of Object.entries(item))
        if (operation.operationId) yield { path, method, operation };
  }

  /** Why an answer is not what the document promises; nothing when it is. */
  problemsOf(operationId: string, { status, body }: Answered): string[] {
    const found = [...this.operations()].find(({ operation }) => operation.operationId === operationId);
    const position = found && ["paths", found.path, found.method, "responses", String(status)];
    const response = position && (this.#at(position) as Response | { $ref: string } | undefined);
    if (!position || !response) return [`${operationId} answered ${status}, which is not documented`];
    const [start, { content }] =
      "$ref" in response ? [response.$ref, this.#resolved<Response>(response)] : [`#/${pointer(position)}`, response];
    const schema = content?.["application/json"]?.schema;
    if (!schema) return body === undefined || body === "" ? [] : [`${operationId} ${status} has no body`];
    const fits = this.#ajv.getSchema(`document${start}/content/application~1json/schema`);
    if (!fits) return [`${operationId} ${status} has no schema that can be read`];
    return fits(body) ? [] : [`${operationId} ${status}: ${this.#ajv.errorsText(fits.errors)}`];
  }

  /** Sends every example of every operation; `own` are form fields and parameters that no document can know. */
  async play(base: string, bearer: string, own: Record<string, string>): Promise<Played[]> {
    const played: Played[] = [];
    const linked = new Map<string, Record<string, string>>();
    for (const { path, method, operation } of this.operations()) {
      const parameters = (operation.parameters ?? []).map((each) => this.#resolved<Parameter>(each));
      const known = { ...own, ...linked.get(operation.operationId) };
      const target = base + filledIn(path, parameters, known);
      const headers = { authorization: `Bearer ${bearer}`, ...headersOf(parameters) };
      for (const { type, name, value } of bodiesOf(operation)) {
        const body = value === undefined ? {} : { body: encoded(type, value, own) };
        const sent = {
          method: method.toUpperCase(),
          headers: { ...headers, ...(type && { "content-type": type }) },
          ...body,
        };
        const answer = await fetch(target, sent);
        const text = await answer.text();
        const received = text === "" ? undefined : JSON.parse(text);
        const what = `${sent.method} ${target.slice(base.length)} ${name}`;
        played.push({ what, operationId: operation.operationId, status: answer.status, body: received });
        for (const link of this.#linksOf(operation, answer.status))
          linked.set(link.operationId, valuesOf(link.parameters, received));
      }
    }
    return played;
  }

  #linksOf({ responses }: Operation, status: number) {
    const response = responses[status];
    return Object.values((response && this.#resolved<Response>(response).links) ?? {});
  }

  #resolved<T extends object>(node: T | { $ref: string }): T {
    return "$ref" in node ? (this.#at(node.$ref.slice(2).split("/").map(plain)) as T) : node;
  }

  #at(steps: readonly string[]): unknown {
    return steps.reduce<unknown>((node, step) => (node as Node | undefined)?.[step], this.document);
  }
}

const plain = (step: string) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
const pointer = (steps: readonly string[]) =>
  steps.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");

function filledIn(path: string, parameters: readonly Parameter[], known: Record<string, string>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = known[name] ?? parameters.find((parameter) => parameter.name === name)?.example;
    if (value === undefined) throw new Error(`${path} has no example for ${name}, and no link leads to it`);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams(
    parameters
      .filter((parameter) => parameter.in === "query" && parameter.example !== undefined)
      .map(({ name, example }): [string, string] => [name, String(example)]),
  );
  return query.size > 0 ? `${filled}?${query}` : filled;
}

const headersOf = (parameters: readonly Parameter[]): Record<string, string> =>
  Object.fromEntries(
    parameters.filter((each) => each.in === "header").map(({ name, example }) => [name, String(example)]),
  );

function bodiesOf({ requestBody }: Operation): { type?: string; name: string; value?: unknown }[] {
  const [[type, { examples = {} }] = ["", {}]] = Object.entries(requestBody?.content ?? {});
  const bodies = Object.entries(examples).map(([name, { value }]) => ({ type, name, value }));
  return bodies.length > 0 ? bodies : [{ name: "" }];
}

function encoded(type: string | undefined, value: unknown, own: Record<string, string>): string {
  if (type === "application/json") return JSON.stringify(value);
  return new URLSearchParams({ ...(value as Record<string, string>), ...own }).toString();
}

/** `$response.body#/id` */
function valuesOf(parameters: Record<string, string>, body: unknown): Record<string, string> {
  const read = (expression: string) => String((body as Node)[expression.replace("$response.body#/", "")]);
  return Object.fromEntries(Object.entries(parameters).map(([name, expression]) => [name, read(expression)]));
}
