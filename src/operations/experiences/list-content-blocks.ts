// GET /v1/experiences/{experienceId}/content-blocks. Heading "Content block"; assumptions: language-missing, content-blocks-envelope.
import { showBlock } from "../../domain/shown-catalogue.ts";
import { readInLanguage } from "../operation.ts";
import { publicExperience } from "../tongue.ts";

export const listContentBlocks = readInLanguage("listContentBlocks", (desk, { path }, tongue) => {
  const blocks = publicExperience(desk, path.experienceId).content_blocks;
  return { items: blocks.map((block) => showBlock(desk, block, tongue)).filter((block) => block !== undefined) };
});
