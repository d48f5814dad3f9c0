// GET /v1/experiences/{experienceId}/content-blocks. Heading "Content block"; assumptions: language-missing, content-blocks-envelope.
import { showBlock } from "../../domain/shown-catalogue.ts";
import { read } from "../operation.ts";
import { publicExperience, tongueOf } from "../tongue.ts";

export const listContentBlocks = read("listContentBlocks", (desk, { path, headers }) => {
  const tongue = tongueOf(desk, headers["accept-language"]);
  const blocks = publicExperience(desk, path.experienceId).content_blocks;
  return { items: blocks.map((block) => showBlock(desk, block, tongue)).filter((block) => block !== undefined) };
});
