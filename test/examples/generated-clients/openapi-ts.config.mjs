export default ["openapi", "control"].map((name) => ({
  input: `./made/${name}.json`,
  output: { path: `./made/hey-api/${name}` },
  logs: { file: false },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk", "zod"],
}));
