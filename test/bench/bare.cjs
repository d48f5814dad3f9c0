// The yardstick: bare Express answering constant JSON, with the same routes and the same answers, and nothing behind them.
const express = require(process.argv[2]);
const answers = JSON.parse(process.argv[4]);
const app = express();
app.use(express.json());
app.use(express.urlencoded());
app.get("/v1/bookings", (_request, response) => response.json(answers.list));
app.get("/v1/bookings/:id", (_request, response) => response.json(answers.one));
app.post("/v1/bookings", (request, response) =>
  request.body.event_id === undefined
    ? response.status(400).json(answers.refused)
    : response.status(201).json(answers.made),
);
app.post("/oauth2/token", (_request, response) => response.json(answers.token));
app.get("/healthz", (_request, response) => response.json({ status: "ok" }));
app.listen(Number(process.argv[3]), "127.0.0.1");
