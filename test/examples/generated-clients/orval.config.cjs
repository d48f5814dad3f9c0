// Validators of the control document are left out: for members of several types orval writes limits that zod has not for them.
const made = (name, client, ending) => ({
  input: { target: `./made/${name}.json` },
  output: { mode: "single", target: `./made/orval/${name}${ending}.ts`, client },
});

module.exports = {
  openapi: made("openapi", "fetch", ""),
  openapiZod: made("openapi", "zod", ".zod"),
  control: made("control", "fetch", ""),
};
