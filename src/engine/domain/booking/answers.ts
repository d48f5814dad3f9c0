// Reads the answers of guests to the questions of an experience. A question has one answer per booking or per ticket, and a
// blank answer counts as none. Heading "InformationRequest"; assumptions: answers, required-question.

import { reject } from "../kernel/domain-error.ts";
import type { Experience, Question, QuestionAnswer, Ticket } from "../kernel/records.ts";

/** `ticket` counts from 0. For a question per ticket, the default is the first ticket. */
export type AnswerInput = Omit<QuestionAnswer, "ticket_id" | "label"> & { ticket?: number };

/**
 * Returns the answers to store. A new answer replaces the earlier one (`before`) to the same question. Rejects with
 * INVALID_INPUT.
 */
export function readAnswers(
  experience: Experience,
  tickets: readonly Ticket[],
  given: readonly AnswerInput[],
  before: readonly QuestionAnswer[] = [],
): QuestionAnswer[] {
  const answers = given.flatMap((input, index): (QuestionAnswer & { index: number })[] => {
    const answer = toAnswer(experience, tickets, input, `body.answers.${index}`);
    return answer.answer.trim() === "" ? [] : [{ ...answer, index }];
  });
  // All duplicates are reported together, so that one attempt shows every problem.
  const problems = answers.flatMap((answer, position) => {
    const twin = answers.slice(0, position).find((other) => isSameAnswer(other, answer));
    if (!twin) return [];
    const what = `${answer.information_request_id} is answered by body.answers.${twin.index} already. Give one answer.`;
    return [{ path: `body.answers.${answer.index}`, what }];
  });
  if (problems.length > 0) reject("INVALID_INPUT", problems);
  // A new answer replaces the old one, and a blank answer removes it.
  const remaining = before.filter((old) => !answers.some((answer) => isSameAnswer(old, answer)));
  return [...remaining, ...answers.map(({ index: _, ...answer }) => answer)];
}

/** A question that is asked per ticket has one answer for each ticket. */
function isSameAnswer(a: QuestionAnswer, b: QuestionAnswer): boolean {
  return a.information_request_id === b.information_request_id && a.ticket_id === b.ticket_id;
}

function toAnswer(
  experience: Experience,
  tickets: readonly Ticket[],
  { ticket = 0, ...input }: AnswerInput,
  path: string,
): QuestionAnswer {
  const { information_request_id: id } = input;
  const question = experience.information_requests.find((each) => each.id === id);
  if (!question) {
    const what = `${experience.id} has no information request ${id}.`;
    return reject("INVALID_INPUT", { path: `${path}.information_request_id`, what });
  }
  // The label is stored with the answer, because the question can be reworded or removed later.
  const answer = { ...input, label: question.label };
  // A question per booking has one answer for all tickets, so `ticket` is ignored.
  if (question.scope === "BOOKING") return answer;
  const about = tickets[ticket];
  if (about) return { ...answer, ticket_id: about.id };
  return reject("INVALID_INPUT", { path: `${path}.ticket`, what: `the booking has ${tickets.length} tickets.` });
}

/** Rejects while a required question has no answer. `way` adds an alternative to the message. */
export function mustBeAnswered(
  experience: Experience,
  tickets: readonly Ticket[],
  answers: readonly QuestionAnswer[],
  way = "",
): void {
  const open = experience.information_requests
    .filter(({ required }) => required)
    .flatMap((question) => {
      // A call without `ticket_id` looks for the answer of the whole booking.
      const isOpen = (ticket_id?: string) =>
        !answers.some((answer) => answer.information_request_id === question.id && answer.ticket_id === ticket_id);
      if (question.scope === "BOOKING") return isOpen() ? [formatMissingAnswer(question)] : [];
      return tickets.flatMap(({ id }, index) => (isOpen(id) ? [formatMissingAnswer(question, index)] : []));
    });
  if (open.length > 0)
    reject(
      "INVALID_INPUT",
      open.map((what) => ({ path: "body.answers", what: `${what}${way}` })),
    );
}

function formatMissingAnswer({ id }: Question, ticket?: number): string {
  const where = ticket === undefined ? "" : ` for ticket ${ticket}`;
  return `${id} is required and has no answer${where}. Add one.`;
}
