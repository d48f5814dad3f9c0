// Bare Express with the same routes and responses as the sandbox, and nothing behind them: node bare.cjs <express> <port> <responses>.
const express = require(process.argv[2]);
const responses = JSON.parse(process.argv[4]);
const app = express();
app.use(express.json());
app.use(express.urlencoded());
app.get("/v1/bookings", (_request, response) => response.json(responses.list));
app.get("/v1/bookings/:id", (_request, response) => response.json(responses.one));
app.post("/v1/bookings", (request, response) =>
  request.body.event_id === undefined
    ? response.status(400).json(responses.rejection)
    : response.status(201).json(responses.created),
);
app.post("/oauth2/token", (_request, response) => response.json(responses.token));
app.get("/healthz", (_request, response) => response.json({ status: "ok" }));
app.listen(Number(process.argv[3]), "127.0.0.1");
