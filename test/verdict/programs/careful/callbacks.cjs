// An export in the style of ten years ago: callbacks, `http.request`, and a retry that is called back with an operation.
const http = require("node:http");
const { URL, URLSearchParams } = require("node:url");

const env = process.env;
let token = null;

function retry(options, operation, done) {
  let attempt = 0;
  (function once() {
    operation((error, result) => {
      if (!error?.isPassing || ++attempt > options.retries) return done(error, result);
      setTimeout(once, Math.max(error.after, options.minTimeout * 2 ** attempt));
    });
  })();
}

function send(method, address, headers, body, done) {
  let isOver = false;
  const end = (error, result) => {
    if (isOver) return;
    isOver = true;
    done(error, result);
  };
  const request = http.request(new URL(address), { method, headers, timeout: 4000 }, (answer) => {
    let text = "";
    answer.setEncoding("utf8");
    answer.on("data", (piece) => (text += piece));
    answer.on("aborted", () => end(Object.assign(new Error("cut off"), { isPassing: true, after: 0 })));
    answer.on("end", () => {
      const { statusCode: status, headers: given } = answer;
      if (status < 300) return end(null, JSON.parse(text));
      const isPassing = status === 429 || status === 503;
      const after = isPassing ? Number(given["retry-after"] || 0) * 1000 + 20 : 0;
      end(Object.assign(new Error(`${address} ${status}`), { status, isPassing, after }));
    });
  });
  request.on("timeout", () => request.destroy(new Error("time-out")));
  request.on("error", (error) => end(Object.assign(error, { isPassing: true, after: 0 })));
  request.end(body);
}

function withToken(done) {
  if (token) return done(null, token);
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    audience: env.SANDBOX_URL,
    client_id: env.SANDBOX_CLIENT_ID,
    client_secret: env.SANDBOX_CLIENT_SECRET,
    scope: "booking.read location.read",
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": Buffer.byteLength(body) };
  const ask = (tried) => send("POST", env.SANDBOX_TOKEN_URL, headers, body, tried);
  retry({ retries: 5, minTimeout: 100 }, ask, (error, answer) => {
    if (error) return done(error);
    token = answer.access_token;
    done(null, token);
  });
}

function get(path, done, isRenewed) {
  withToken((error, held) => {
    if (error) return done(error);
    const headers = { authorization: `Bearer ${held}`, "accept-language": "en, da;q=0.5" };
    const ask = (tried) => send("GET", env.SANDBOX_URL + path, headers, undefined, tried);
    retry({ retries: 5, minTimeout: 100 }, ask, (refused, body) => {
      if (refused?.status !== 401 || isRenewed) return done(refused, body);
      token = null;
      get(path, done, true);
    });
  });
}

function each(path, seen, done) {
  (function page(cursor) {
    get(`${path}?limit=45${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`, (error, body) => {
      if (error) return done(error);
      for (const item of body.items) seen[item.id] = item;
      if (body.next) page(body.next);
      else done(null, seen);
    });
  })("");
}

each("/v1/bookings", {}, (error, bookings) => {
  if (error) throw error;
  each("/v1/locations", {}, (failed, locations) => {
    if (failed) throw failed;
    console.log(Object.keys(bookings).length, "bookings at", Object.keys(locations).length, "locations");
  });
});
