// What guests answer to the questions of an experience: one answer a question, or a question and ticket; blank is none.
// Heading "InformationRequest"; assumptions: answers, required-question.

import { reject } from "../kernel/domain-error.ts";
import type { Experience, Question, QuestionAnswer, Ticket } from "../kernel/records.ts";

/** `ticket`: counted from 0; for a question per ticket, the default is the first. */
export type AnswerInput = Omit<QuestionAnswer, "ticket_id" | "label"> & { ticket?: number };

/**
 * The answers to store: those given replace the earlier ones (`before`) to the same question. Rejects with
 * INVALID_INPUT.
 */
export function readAnswers(
  experience: Experience,
  tickets: readonly Ticket[],
  given: readonly AnswerInput[],
  before: readonly QuestionAnswer[] = [],
): QuestionAnswer[] {
  const answers = given.flatMap((input, index): (QuestionAnswer & { index: number })[] => {
    const answer = answerOf(experience, tickets, input, `body.answers.${index}`);
    return answer.answer.trim() === "" ? [] : [{ ...answer, index }];
  });
  // All twins together, so that one attempt shows all that is wrong.
  const problems = answers.flatMap((answer, position) => {
    const twin = answers.slice(0, position).find((other) => isSame(other, answer));
    if (!twin) return [];
    const what = `${answer.information_request_id} is answered by body.answers.${twin.index} already. Give one answer.`;
    return [{ path: `body.answers.${answer.index}`, what }];
  });
  if (problems.length > 0) reject("INVALID_INPUT", problems);
  // An answer that is given again, or taken back with a blank, is not the old one any more.
  const remaining = before.filter((old) => !answers.some((answer) => isSame(old, answer)));
  return [...remaining, ...answers.map(({ index: _, ...answer }) => answer)];
}

/** A question that is asked per ticket has one answer for each ticket. */
function isSame(a: QuestionAnswer, b: QuestionAnswer): boolean {
  return a.information_request_id === b.information_request_id && a.ticket_id === b.ticket_id;
}

function answerOf(
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
  // A question that is reworded or removed later was asked like this.
  const answer = { ...input, label: question.label };
  // One answer for all tickets: a `ticket` that is given says nothing.
  if (question.scope === "BOOKING") return answer;
  const about = tickets[ticket];
  if (about) return { ...answer, ticket_id: about.id };
  return reject("INVALID_INPUT", { path: `${path}.ticket`, what: `the booking has ${tickets.length} tickets.` });
}

/** Rejects while a required question has no answer; `way` names an alternative. */
export function mustBeAnswered(
  experience: Experience,
  tickets: readonly Ticket[],
  answers: readonly QuestionAnswer[],
  way = "",
): void {
  const open = experience.information_requests
    .filter(({ required }) => required)
    .flatMap((question) => {
      // Without a ticket: the answer of the whole booking.
      const isOpen = (ticket_id?: string) =>
        !answers.some((answer) => answer.information_request_id === question.id && answer.ticket_id === ticket_id);
      if (question.scope === "BOOKING") return isOpen() ? [sentence(question)] : [];
      return tickets.flatMap(({ id }, index) => (isOpen(id) ? [sentence(question, index)] : []));
    });
  if (open.length > 0)
    reject(
      "INVALID_INPUT",
      open.map((what) => ({ path: "body.answers", what: `${what}${way}` })),
    );
}

function sentence({ id }: Question, ticket?: number): string {
  const where = ticket === undefined ? "" : ` for ticket ${ticket}`;
  return `${id} is required and has no answer${where}. Add one.`;
}
