// A Postman collection, format 2.1.0 (https://schema.getpostman.com/json/collection/v2.1.0/collection.json), and its environment.
import type { Named } from "../../contract/document/requests.ts";
import { addressOf, type Collection, type Files, type Item, indentedJson, textOf } from "./collection.ts";

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/**
 * Before each request: a token, when there is none that is still good. It counts as good for nine tenths of its time,
 * by the clock of Postman.
 */
const GET_TOKEN = `const until = Number(pm.collectionVariables.get("token_until") || 0);
if (until < Date.now()) {
  const form = {
    grant_type: "client_credentials",
    audience: pm.variables.get("base_url"),
    client_id: pm.variables.get("client_id"),
    client_secret: pm.variables.get("client_secret"),
  };
  const request = {
    url: pm.variables.get("base_url") + "/oauth2/token",
    method: "POST",
    header: { "Content-Type": "application/x-www-form-urlencoded" },
    body: { mode: "urlencoded", urlencoded: Object.entries(form).map(([key, value]) => ({ key, value })) },
  };
  pm.sendRequest(request, (error, response) => {
    if (error || response.code !== 200) return console.error(error || response.text());
    const { access_token, expires_in } = response.json();
    pm.collectionVariables.set("token", access_token);
    pm.collectionVariables.set("token_until", Date.now() + expires_in * 900);
  });
}`;

/** The world's clock may have moved past its end, or the world may be another. */
const FORGET_TOKEN = `if (pm.response.code === 401) pm.collectionVariables.unset("token_until");`;

export function postmanFiles(collection: Collection): Files {
  return {
    "experience-sandbox.postman_collection.json": `${indentedJson(postmanCollection(collection))}\n`,
    "experience-sandbox.postman_environment.json": `${indentedJson(environmentFor(collection))}\n`,
  };
}

function postmanCollection({ title, summary, folders }: Collection): object {
  return {
    info: {
      name: title,
      description: `${summary}\n\nChoose the environment that was exported with it. A token is fetched when one is needed.`,
      schema: SCHEMA,
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    event: [eventOf("prerequest", GET_TOKEN), eventOf("test", FORGET_TOKEN)],
    variable: [{ key: "token", value: "" }],
    item: folders.map(({ name, items }) => ({ name, item: items.map(itemOf) })),
  };
}

const eventOf = (listen: "prerequest" | "test", script: string) => ({
  listen,
  script: { type: "text/javascript", exec: script.split("\n") },
});

function environmentFor({ title, access }: Collection): object {
  const values = Object.entries(access).map(([key, value]) => ({
    key,
    value,
    // Postman hides the value of a secret on the screen.
    type: key === "client_secret" ? "secret" : "default",
    enabled: true,
  }));
  return { name: title, values, _postman_variable_scope: "environment" };
}

function itemOf(item: Item): object {
  const { title, operation, status, sets, notes, headers, body, form } = item;
  const checks = [
    `pm.test("answers ${status}", () => pm.response.to.have.status(${status}));`,
    ...sets.map(({ variable, member }) => `pm.collectionVariables.set("${variable}", pm.response.json().${member});`),
  ];
  return {
    name: title,
    event: [eventOf("test", checks.join("\n"))],
    request: {
      // The token endpoint must not ask for a token first.
      ...(operation.scopes === undefined ? { auth: { type: "noauth" } } : {}),
      method: operation.method,
      header: [
        ...headers.map(pairOf),
        ...(body !== undefined && !form ? [{ key: "Content-Type", value: "application/json" }] : []),
      ],
      url: urlOf(item),
      ...bodyOf(item),
      description: notes,
    },
  };
}

const pairOf = (named: Named) => ({
  key: named.name,
  value: textOf(named),
  description: named.description,
  ...(named.omitted ? { disabled: true } : {}),
});

function urlOf(item: Item): object {
  const { path, query } = item;
  const raw = addressOf(item);
  return {
    raw,
    host: ["{{base_url}}"],
    path: raw.replace(/\?.*/, "").split("/").slice(1),
    query: query.map(pairOf),
    variable: path.map(pairOf),
  };
}

function bodyOf({ body, form }: Item): object {
  if (body === undefined) return {};
  if (!form) return { body: { mode: "raw", raw: indentedJson(body), options: { raw: { language: "json" } } } };
  const urlencoded = form.map(({ name, value, omitted }) => ({
    key: name,
    value,
    ...(omitted ? { disabled: true } : {}),
  }));
  return { body: { mode: "urlencoded", urlencoded } };
}
