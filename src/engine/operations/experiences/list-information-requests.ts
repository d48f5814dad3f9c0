// GET /v1/experiences/{experienceId}/information-requests. Heading "Experiences"; assumption: info-request-question.

import { showQuestion } from "../../domain/catalogue/catalogue-views.ts";
import { loadExperience } from "../../domain/kernel/lookups.ts";
import { readInLanguage } from "../operation.ts";
import { page, pageList } from "../paging.ts";

export const listInformationRequests = readInLanguage("listInformationRequests", (tx, { path, query }, locale) => {
  const { id, information_requests } = loadExperience(tx, path.experienceId);
  return page(tx, {
    list: `listInformationRequests/${id}`,
    query,
    ...pageList(information_requests),
    show: (question) => showQuestion(question, locale),
  });
});
