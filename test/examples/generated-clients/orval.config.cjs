const made = (name, client, ending) => ({
  input: { target: `./made/${name}.json` },
  output: { mode: "single", target: `./made/orval/${name}${ending}.ts`, client },
});

module.exports = Object.fromEntries(
  ["openapi", "control"].flatMap((name) => [
    [name, made(name, "fetch", "")],
    [`${name}Zod`, made(name, "zod", ".zod")],
  ]),
);
