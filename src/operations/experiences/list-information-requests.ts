// GET /v1/experiences/{experienceId}/information-requests. Heading "Experiences"; assumption: info-request-question.
import { showQuestion } from "../../domain/shown-catalogue.ts";
import { readInLanguage } from "../operation.ts";
import { listed, page } from "../paging.ts";
import { publicExperience } from "../tongue.ts";

export const listInformationRequests = readInLanguage("listInformationRequests", (desk, { path, query }, tongue) => {
  const { id, information_requests } = publicExperience(desk, path.experienceId);
  return page(desk, {
    list: `listInformationRequests/${id}`,
    cursor: query.cursor,
    limit: query.limit ?? 100,
    ...listed(information_requests),
    show: (question) => showQuestion(question, tongue),
  });
});
