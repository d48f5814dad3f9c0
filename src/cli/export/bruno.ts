// A Bruno collection: a folder of .bru files, one a request (https://docs.usebruno.com/bru-lang/overview).
import type { Named } from "../../contract/document/requests.ts";
import { addressOf, type Collection, type Files, type Folder, type Item, indentedJson, textOf } from "./collection.ts";

/**
 * Before each request: a token, when there is none that is still good. It counts as good for nine tenths of its time,
 * by the clock of the program that sends.
 */
const GET_TOKEN = `if (Number(bru.getVar("token_until") || 0) < Date.now()) {
  const form = {
    grant_type: "client_credentials",
    audience: bru.getEnvVar("base_url"),
    client_id: bru.getEnvVar("client_id"),
    client_secret: bru.getEnvVar("client_secret"),
  };
  const data = Object.entries(form).map(([name, value]) => name + "=" + encodeURIComponent(value)).join("&");
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const response = await bru.sendRequest({ method: "POST", url: form.audience + "/oauth2/token", headers, data });
  bru.setVar("token", response.data.access_token);
  bru.setVar("token_until", Date.now() + response.data.expires_in * 900);
}`;

/** The world's clock may have moved past its end, or the world may be another. */
const FORGET_TOKEN = `if (res.getStatus() === 401) bru.setVar("token_until", 0);`;

export function brunoFiles(collection: Collection): Files {
  const { title, summary, access, folders } = collection;
  return {
    "bruno.json": `${indentedJson({ version: "1", name: title, type: "collection", ignore: ["node_modules", ".git"] })}\n`,
    "collection.bru": blocks(
      ["auth", ["mode: bearer"]],
      ["auth:bearer", ["token: {{token}}"]],
      ["script:pre-request", GET_TOKEN.split("\n")],
      ["script:post-response", FORGET_TOKEN.split("\n")],
      [
        "docs",
        [...summary.split("\n"), "", "Choose the environment `sandbox`. A token is fetched when one is needed."],
      ],
    ),
    "environments/sandbox.bru": blocks(["vars", Object.entries(access).map(([name, value]) => `${name}: ${value}`)]),
    ...Object.assign({}, ...folders.map(folderFiles)),
  };
}

type Block = readonly [name: string, lines: readonly string[]];

/** Lines are indented; a block without lines is left out. */
function blocks(...all: Block[]): string {
  const written = all
    .filter(([, lines]) => lines.length > 0)
    .map(([name, lines]) => `${name} {\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n}\n`);
  return written.join("\n");
}

// Bruno sorts by `seq`, not by the names of files.
function folderFiles({ name, items }: Folder, index: number): Files {
  const files = items.map((item, position) => [`${name}/${item.slug}.bru`, requestText(item, position + 1)]);
  const own = blocks(["meta", [`name: ${name}`, `seq: ${index + 1}`]], ["auth", ["mode: inherit"]]);
  return { [`${name}/folder.bru`]: own, ...Object.fromEntries(files) };
}

function requestText(item: Item, position: number): string {
  const { title, operation, path, query, headers, body, form, status, sets, notes } = item;
  const kind = body === undefined ? "none" : form ? "formUrlEncoded" : "json";
  return blocks(
    ["meta", [`name: ${title}`, "type: http", `seq: ${position}`]],
    [
      operation.method.toLowerCase(),
      [`url: ${addressOf(item)}`, `body: ${kind}`, `auth: ${operation.scopes === undefined ? "none" : "inherit"}`],
    ],
    ["params:query", query.map(pairOf)],
    ["params:path", path.map(pairOf)],
    ["headers", headers.map(pairOf)],
    ["body:form-urlencoded", (form ?? []).map(({ name, value, omitted }) => `${omitted ? "~" : ""}${name}: ${value}`)],
    ["body:json", kind === "json" ? indentedJson(body).split("\n") : []],
    ["vars:post-response", sets.map(({ variable, member }) => `${variable}: res.body.${member}`)],
    ["assert", [`res.status: eq ${status}`]],
    ["docs", notes.split("\n")],
  );
}

// A tilde switches a parameter off; it is still there to be tried.
const pairOf = (named: Named): string => `${named.omitted ? "~" : ""}${named.name}: ${textOf(named)}`;
