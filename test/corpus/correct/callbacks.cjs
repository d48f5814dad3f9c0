// Callbacks, no promises: reads each location and writes one JSON file for the website.
var http = require("node:http");
var fs = require("node:fs");
var querystring = require("node:querystring");

var base = process.env.SANDBOX_URL;
var token = null;

function request(method, url, headers, body, callback) {
  var tries = 0;
  (function attempt() {
    var done = false;
    function finish(error, status, after, text) {
      if (done) return;
      done = true;
      var isBusy = error || status === 429 || status === 503;
      if (!isBusy || ++tries > 6) return callback(error, status, text);
      setTimeout(attempt, Math.max(100 * Math.pow(2, tries), after * 1000));
    }
    var req = http.request(url, { method: method, headers: headers, timeout: 5000 }, function (res) {
      var text = "";
      res.setEncoding("utf8");
      res.on("data", function (chunk) { text += chunk; });
      res.on("error", function (error) { finish(error, 0, 0); });
      res.on("end", function () { finish(null, res.statusCode, Number(res.headers["retry-after"] || 0), text); });
    });
    req.on("timeout", function () { req.destroy(new Error("timeout")); });
    req.on("error", function (error) { finish(error, 0, 0); });
    req.end(body);
  })();
}

function login(callback) {
  var form = querystring.stringify({
    grant_type: "client_credentials", audience: base, scope: "location.read",
    client_id: process.env.SANDBOX_CLIENT_ID, client_secret: process.env.SANDBOX_CLIENT_SECRET,
  });
  request("POST", process.env.SANDBOX_TOKEN_URL, { "content-type": "application/x-www-form-urlencoded" }, form, function (error, status, text) {
    if (error || status !== 200) return callback(error || new Error("login: " + status));
    token = JSON.parse(text).access_token;
    callback(null);
  });
}

function get(path, callback, renewed) {
  if (!token) return login(function (error) { error ? callback(error) : get(path, callback, renewed); });
  request("GET", base + path, { authorization: "Bearer " + token }, undefined, function (error, status, text) {
    if (error) return callback(error);
    if (status === 401 && !renewed) {
      token = null;
      return get(path, callback, true);
    }
    if (status !== 200) return callback(new Error(path + ": " + status));
    callback(null, JSON.parse(text));
  });
}

function fail(error) {
  console.error(error.message);
  process.exit(1);
}

get("/v1/locations?limit=50", function (error, page) {
  if (error) return fail(error);
  var places = {};
  var left = page.items.length;
  page.items.forEach(function (item) {
    get("/v1/locations/" + item.id, function (problem, place) {
      if (problem) return fail(problem);
      places[place.id] = (place.address && place.address.address_lines || []).join(", ");
      if (--left === 0) fs.writeFileSync(process.env.SANDBOX_RUN_FOLDER + "/places.json", JSON.stringify(places));
    });
  });
});
