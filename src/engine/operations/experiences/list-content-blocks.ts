// GET /v1/experiences/{experienceId}/content-blocks. Heading "Content block"; assumptions: language-missing, content-blocks-envelope.

import { showBlock } from "../../domain/catalogue/catalogue-views.ts";
import { loadExperience } from "../../domain/kernel/lookups.ts";
import { readInLanguage } from "../operation.ts";

export const listContentBlocks = readInLanguage("listContentBlocks", (tx, { path }, locale) => {
  const blocks = loadExperience(tx, path.experienceId).content_blocks;
  return { items: blocks.map((block) => showBlock(tx, block, locale)).filter((block) => block !== undefined) };
});
