// Generates src/contract/generated/ from spec/. If nothing has changed, it does nothing.
import { join } from "node:path";
import { root, runIfMain, runStep, say, writeAtomically } from "./step.mjs";

const folder = join(root, "src/contract/generated");

/** Returns whether anything had changed. */
export const buildSpec = () =>
  runStep({
    name: "spec",
    folder,
    inputs: ["spec", "scenarios", "src/build", "src/contract/document", "package-lock.json"],
    work: writeGenerated,
  });

async function writeGenerated() {
  // Loading the compilers takes most of a second, also of a start that has nothing to do.
  const { generateFiles } = await import("./generate.mjs");
  // No file is written before all texts exist, because the files of one build belong together.
  const files = await generateFiles();
  for (const [name, text] of Object.entries(files)) writeAtomically(join(folder, name), text);
  return Object.keys(files);
}

await runIfMain(import.meta.filename, async () => {
  if (!(await buildSpec())) say("spec: nothing changed");
});
