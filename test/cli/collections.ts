// Exported collections as the programs read them for which they were made: files to requests, variables filled in, scripts run.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";
import { bruToEnvJsonV2, bruToJsonV2, collectionBruToJson } from "@usebruno/lang";

export type Variables = Map<string, string>;

export interface Sent {
  name: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Answer {
  status: number;
  text: string;
}

/** One request of a collection: what is sent with these variables, and what its answer does to them; false: it is not as it should be. */
export interface Step {
  before?(variables: Variables): Promise<void>;
  request(variables: Variables): Sent;
  after(answer: Answer, variables: Variables): boolean;
}

export interface Collection {
  variables: Variables;
  steps: Step[];
}

/** Sends every request in order; answers the names of those that are not as they should be. */
export async function play({ variables, steps }: Collection): Promise<{ sent: Sent[]; failed: string[] }> {
  const [sent, failed]: [Sent[], string[]] = [[], []];
  for (const step of steps) {
    await step.before?.(variables);
    const { name, url, ...request } = step.request(variables);
    const answer = await fetch(url, request);
    const text = await answer.text();
    sent.push({ name, url, ...request });
    if (!step.after({ status: answer.status, text }, variables)) failed.push(`${name}: ${answer.status} ${text}`);
  }
  return { sent, failed };
}

const filled = (text: string, variables: Variables): string =>
  text.replace(/\{\{([\w.$]+)\}\}/g, (whole, name: string) => variables.get(name) ?? whole);

interface Pair {
  key: string;
  value: string;
  disabled?: boolean;
}
interface Event {
  listen: string;
  script: { exec: string[] };
}
interface PostmanItem {
  name: string;
  event: Event[];
  item?: PostmanItem[];
  request: {
    auth?: { type: string };
    method: string;
    header: Pair[];
    url: { raw: string; variable: Pair[]; query: Pair[] };
    body?: { mode: string; raw?: string; urlencoded?: Pair[] };
  };
}

export function postmanAt(folder: string): Collection {
  const read = (kind: string) =>
    JSON.parse(readFileSync(join(folder, `experience-sandbox.postman_${kind}.json`), "utf8"));
  const [collection, environment] = [read("collection"), read("environment")];
  const items = (collection.item as PostmanItem[]).flatMap(({ item = [] }) => item);
  const scripts = (events: Event[], listen: string) =>
    events.filter((event) => event.listen === listen).map(({ script }) => script.exec.join("\n"));
  return {
    variables: new Map((environment.values as Pair[]).map(({ key, value }) => [key, value])),
    steps: items.map(({ name, request, event }) => ({
      async before(variables) {
        for (const script of scripts(collection.event, "prerequest")) await runPostman(script, variables);
      },
      request: (variables) => postmanRequest(name, request, variables),
      after: (answer, variables) => {
        const tests = [...scripts(collection.event, "test"), ...scripts(event, "test")];
        return tests.every((script) => postmanTest(script, answer, variables));
      },
    })),
  };
}

const enabled = (pairs: readonly Pair[]) => pairs.filter(({ disabled }) => !disabled);

function postmanRequest(
  name: string,
  { auth, method, header, url, body }: PostmanItem["request"],
  variables: Variables,
): Sent {
  const address = url.variable.reduce((text, { key, value }) => text.replace(`:${key}`, value), url.raw);
  const headers = Object.fromEntries(enabled(header).map(({ key, value }) => [key, value]));
  const form = enabled(body?.urlencoded ?? []).map(({ key, value }): [string, string] => [
    key,
    filled(value, variables),
  ]);
  const text = body?.mode === "urlencoded" ? String(new URLSearchParams(form)) : body?.raw;
  if (body?.mode === "urlencoded") headers["Content-Type"] = "application/x-www-form-urlencoded";
  if (auth?.type !== "noauth") headers.Authorization = `Bearer ${variables.get("token")}`;
  return { name, method, url: filled(address, variables), headers, ...(text === undefined ? {} : { body: text }) };
}

interface PostmanSent {
  url: string;
  method: string;
  header: Record<string, string>;
  body: { urlencoded: Pair[] };
}
type Callback = (error: unknown, response: { code: number; text(): string; json(): unknown }) => void;

const viewTo = ({ status, text }: Answer) => ({ code: status, text: () => text, json: () => JSON.parse(text) });
const retained = (variables: Variables) => ({
  get: (name: string) => variables.get(name),
  set: (name: string, value: unknown) => void variables.set(name, String(value)),
  unset: (name: string) => void variables.delete(name),
});

async function runPostman(script: string, variables: Variables): Promise<void> {
  const under: Promise<void>[] = [];
  const sendRequest = ({ url, method, header, body }: PostmanSent, reported: Callback) => {
    const form = new URLSearchParams(body.urlencoded.map(({ key, value }): [string, string] => [key, value]));
    const answer = fetch(url, { method, headers: header, body: String(form) });
    under.push(answer.then(async (each) => reported(null, viewTo({ status: each.status, text: await each.text() }))));
  };
  const pm = { variables: retained(variables), collectionVariables: retained(variables), sendRequest };
  vm.runInNewContext(script, { pm, console });
  await Promise.all(under);
}

function postmanTest(script: string, answer: Answer, variables: Variables): boolean {
  let passed = true;
  const response = {
    ...viewTo(answer),
    to: { have: { status: (wanted: number) => (passed &&= wanted === answer.status) } },
  };
  const test = (_: string, check: () => void) => check();
  vm.runInNewContext(script, { pm: { response, test, collectionVariables: retained(variables) } });
  return passed;
}

export function brunoAt(folder: string): Collection {
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const inOrder = (names: string[], seqOf: (name: string) => number) => names.sort((a, b) => seqOf(a) - seqOf(b));
  const seq = (name: string) => Number(bruToJsonV2(read(name)).meta.seq);
  const seqOfFolder = (name: string) => Number(collectionBruToJson(read(`${name}/folder.bru`)).meta.seq);
  const folders = readdirSync(folder).filter((name) => existsSync(join(folder, name, "folder.bru")));
  const files = inOrder(folders, seqOfFolder).flatMap((name) => {
    const inside = readdirSync(join(folder, name)).filter((file) => file !== "folder.bru");
    return inOrder(
      inside.map((file) => `${name}/${file}`),
      seq,
    );
  });
  const { variables } = bruToEnvJsonV2(read("environments/sandbox.bru"));
  return {
    variables: new Map(variables.map(({ name, value }) => [name, value])),
    steps: files.map((file) => brunoStep(bruToJsonV2(read(file)))),
  };
}

function brunoStep({
  meta,
  http,
  headers = [],
  params = [],
  body,
  vars,
  assertions,
}: ReturnType<typeof bruToJsonV2>): Step {
  return {
    request(variables) {
      const on = params.filter((each) => each.enabled && each.type === "path");
      const address = on.reduce((text, { name, value }) => text.replace(`:${name}`, value), http.url);
      const sent = Object.fromEntries(headers.filter((each) => each.enabled).map(({ name, value }) => [name, value]));
      const form = (body?.formUrlEncoded ?? []).filter((each) => each.enabled);
      const pairs = form.map(({ name, value }): [string, string] => [name, filled(value, variables)]);
      const text =
        http.body === "json"
          ? body?.json
          : http.body === "formUrlEncoded"
            ? String(new URLSearchParams(pairs))
            : undefined;
      const type = http.body === "json" ? "application/json" : "application/x-www-form-urlencoded";
      return {
        name: meta.name,
        method: http.method.toUpperCase(),
        url: filled(address, variables),
        headers: {
          ...sent,
          ...(http.auth === "none" ? {} : { authorization: `Bearer ${variables.get("token")}` }),
          ...(text === undefined ? {} : { "content-type": type }),
        },
        ...(text === undefined ? {} : { body: text }),
      };
    },
    after({ status, text }, variables) {
      for (const { name, value } of vars?.res ?? [])
        variables.set(name, JSON.parse(text)[value.replace("res.body.", "")]);
      return assertions?.length === 1 && assertions[0]?.value === `eq ${status}`;
    },
  };
}

/** Either dialect: `{{operation.response.body.$.member}}`, or a variable that a line behind the request sets. */
export function httpFileAt(file: string, statuses: readonly number[]): Collection {
  const [head = "", ...requests] = readFileSync(file, "utf8").split(/^### /m);
  const variables = [...head.matchAll(/^@(\w+) = (.+)$/gm)].map(([, name = "", value = ""]): [string, string] => [
    name,
    value,
  ]);
  return { variables: new Map(variables), steps: requests.map((text, index) => httpStep(text, statuses[index])) };
}

function httpStep(text: string, status: number | undefined): Step {
  const [title = "", ...lines] = text.trimEnd().split("\n");
  const named = /^# @name (\w+)$/.exec(lines[0] ?? "")?.[1] ?? "";
  const [method = "", target = ""] = (lines[1] ?? "").split(" ");
  const blank = lines.indexOf("");
  const heads = lines.slice(2, blank < 0 ? undefined : blank);
  const behind = blank < 0 ? [] : lines.slice(blank + 1);
  const sets = behind.flatMap((line) => [
    ...(/^> \{% client\.global\.set\("(\w+)", response\.body\.(\w+)\); %\}$/.exec(line)?.slice(1) ?? []),
  ]);
  const body = behind
    .filter((line) => !line.startsWith("> {%"))
    .join("\n")
    .trim();
  return {
    request: (variables) => ({
      name: title,
      method,
      url: filled(target, variables),
      headers: Object.fromEntries(
        heads.map((line) => [line.slice(0, line.indexOf(":")), filled(line.slice(line.indexOf(":") + 2), variables)]),
      ),
      ...(body === "" ? {} : { body: filled(body, variables) }),
    }),
    after(answer, variables) {
      const reported: Record<string, unknown> = answer.text === "" ? {} : JSON.parse(answer.text);
      for (const [member, value] of Object.entries(reported))
        variables.set(`${named}.response.body.$.${member}`, String(value));
      const [variable, member = ""] = sets;
      if (variable) variables.set(variable, String(reported[member]));
      return answer.status === status;
    },
  };
}
