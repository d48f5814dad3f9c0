// What orval makes of both documents: a client by fetch, and validators by zod.
const made = (name, client, ending) => ({
  input: { target: `./made/${name}.json` },
  output: { mode: "single", target: `./made/orval/${name}${ending}.ts`, client },
});

module.exports = {
  openapi: made("openapi", "fetch", ""),
  openapiZod: made("openapi", "zod", ".zod"),
  control: made("control", "fetch", ""),
  controlZod: made("control", "zod", ".zod"),
};
