// Small functions put together: each takes a `send` and returns a better one. Prints what is open for a school class.
import { setTimeout as delay } from "node:timers/promises";

const env = process.env;
const pipe = (first, ...steps) => steps.reduce((value, step) => step(value), first);

const withTimeout = (ms) => (send) => (url, init) => send(url, { ...init, signal: AbortSignal.timeout(ms) });
const withRetry = (times) => (send) => {
  const attempt = async (url, init, n) => {
    const response = await send(url, init).catch((error) => ({ error, status: 503, headers: new Headers() }));
    if (n < times && [429, 503].includes(response.status)) {
      const seconds = Number(response.headers.get("retry-after"));
      await delay(seconds > 0 ? seconds * 1000 + 25 : 100 * 2.2 ** n);
      return attempt(url, init, n + 1);
    }
    if (response.error) throw response.error;
    return response;
  };
  return (url, init) => attempt(url, init, 0);
};
const withToken = (scope) => (send) => {
  const form = { grant_type: "client_credentials", audience: env.SANDBOX_URL, scope };
  const body = () => new URLSearchParams({ ...form, client_id: env.SANDBOX_CLIENT_ID, client_secret: env.SANDBOX_CLIENT_SECRET });
  const login = () => send(env.SANDBOX_TOKEN_URL, { method: "POST", body: body() }).then((r) => r.json()).then((r) => r.access_token);
  let token;
  const authorized = async (url, init) => {
    token ??= login();
    return send(url, { ...init, headers: { ...init?.headers, authorization: `Bearer ${await token}` } });
  };
  return async (url, init) => {
    const response = await authorized(url, init);
    if (response.status !== 401) return response;
    token = undefined;
    return authorized(url, init);
  };
};
const asJson = (send) => async (path, init) => {
  const response = await send(env.SANDBOX_URL + path, init);
  return response.ok ? response.json() : Promise.reject(new Error(`${path}: ${response.status}`));
};

const get = pipe(fetch, withTimeout(6000), withRetry(6), withToken("event.read"), asJson);
const seatsOf = ({ constraints = [] }) => Math.min(...constraints.flatMap(({ remaining }) => remaining ?? []));
const { items } = await get("/v1/event-availabilities?experienceId=exp-kayak&limit=25");
const open = items.filter((each) => each.available && seatsOf(each) >= 4).map(({ event_id }) => event_id);
for (const id of open.slice(0, 3)) {
  const { sessions } = await get(`/v1/events/${id}`);
  console.log(id, sessions.map(({ start_time, timezone }) => `${start_time} ${timezone}`).join(", "));
}
