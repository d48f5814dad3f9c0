// A report with a client like got: retries are options, hooks change requests, and functions in a table page through lists.
const env = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function extend(defaults) {
  async function request(path, given = {}) {
    const options = { ...defaults, ...given, headers: { ...defaults.headers, ...given.headers } };
    const { retry, hooks = {}, prefixUrl = "", searchParams, timeout } = options;
    for (let attemptCount = 1; ; attemptCount++) {
      for (const hook of hooks.beforeRequest ?? []) await hook(options);
      const url = `${prefixUrl}${path}${searchParams ? `?${new URLSearchParams(searchParams)}` : ""}`;
      const { method = "GET", headers, form } = options;
      const init = { method, headers, body: form && new URLSearchParams(form), signal: AbortSignal.timeout(timeout) };
      let [response, error] = [undefined, undefined];
      try {
        response = await fetch(url, init);
        response.text = await response.text();
      } catch (reason) {
        [response, error] = [undefined, reason];
      }
      for (const hook of hooks.afterResponse ?? []) if (response && (await hook(response, options))) response = null;
      if (response === null) continue;
      const isPassing = response ? retry.statusCodes.includes(response.status) : retry.methods.includes(method);
      if (isPassing && attemptCount <= retry.limit) {
        const retryAfter = Number(response?.headers.get("retry-after") ?? 0) * 1000;
        await pause(retry.calculateDelay({ attemptCount, retryAfter }));
      } else if (error || !response.ok) {
        throw error ?? new Error(`${url} ${response.status} ${response.text}`);
      } else return JSON.parse(response.text);
    }
  }
  request.paginate = async function* (path, { pagination, ...options }) {
    let searchParams = options.searchParams;
    while (searchParams) {
      const body = await request(path, { ...options, searchParams });
      yield* pagination.transform(body);
      searchParams = pagination.paginate(body, searchParams);
    }
  };
  request.extend = (more) => extend({ ...defaults, ...more });
  return request;
}

const base = extend({
  timeout: 5000,
  retry: {
    limit: 5,
    methods: ["GET", "PUT", "DELETE"],
    statusCodes: [429, 500, 502, 503, 504],
    calculateDelay: ({ attemptCount, retryAfter }) => Math.max(retryAfter + 30, 100 * 2 ** attemptCount),
  },
});

let bearer;
async function login() {
  const form = {
    grant_type: "client_credentials",
    audience: env.SANDBOX_URL,
    client_id: env.SANDBOX_CLIENT_ID,
    client_secret: env.SANDBOX_CLIENT_SECRET,
    scope: "order.read event.read experience.read",
  };
  return (await base(env.SANDBOX_TOKEN_URL, { method: "POST", form })).access_token;
}

let renewals = 0;
const api = base.extend({
  prefixUrl: env.SANDBOX_URL,
  headers: { "accept-language": "en" },
  hooks: {
    beforeRequest: [
      async (options) => {
        bearer ??= await login();
        options.headers.authorization = `Bearer ${bearer}`;
      },
    ],
    afterResponse: [
      ({ status }) => {
        if (status !== 401 || renewals++ > 3) return false;
        bearer = undefined;
        return true;
      },
    ],
  },
});

const pagination = {
  transform: ({ items }) => items,
  paginate: ({ next }, searchParams) => (next ? { ...searchParams, cursor: next } : undefined),
};
const sums = new Map();
for await (const { id, payment_status } of api.paginate("/v1/orders", { searchParams: { limit: 50 }, pagination }))
  sums.set(id, payment_status);
const { items } = await api("/v1/experiences", { searchParams: { limit: 4 } });
for (const { id } of items) await api(`/v1/experiences/${id}`);
await api("/v1/events", { searchParams: { from: "2030-06-03T00:00:00", to: "2030-06-04T00:00:00" } });
console.log(`${sums.size} orders, ${[...sums.values()].filter((each) => each === "PAID").length} of them paid`);
