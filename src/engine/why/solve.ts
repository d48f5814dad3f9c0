// The smallest change that works: what the rule proposes is tried on copies of the world as it was, nearest first. Where another rule
// then stands against it, that one's proposals are added. The search is small and bounded.

import { domainRules } from "./domain-rules.ts";
import type { Proposal, RejectedRequest, Rule } from "./rule.ts";
import { transportRules } from "./transport-rules.ts";

export interface ProposedChange {
  set: Readonly<Record<string, unknown>>;
  first: readonly { act: string; input: object }[];
  at?: string;
  scopes?: readonly string[];
}

export interface Solved {
  text: string;
  change: ProposedChange;
  tried: boolean;
}

/** What became of a change that was tried: nothing when it worked, else what stood against it then. */
type TryChange = (change: ProposedChange) => Promise<RejectedRequest | undefined>;

/** Each costs a copy of the world and a request: some milliseconds. */
const MOST_ATTEMPTS = 40;
/** So many rules may stand one behind the other. */
const DEEPEST = 4;

/** One table: an error of the rules or of the transport without a row does not compile. */
const rules: Readonly<Record<string, Rule>> = { ...transportRules, ...domainRules };

export const findRule = (name: string): Rule => rules[name] ?? transportRules.other;

interface Candidate {
  change: ProposedChange;
  steps: readonly Proposal[];
}

const UNCHANGED: Candidate = { change: { set: {}, first: [] }, steps: [] };

export async function findChange(question: RejectedRequest, attempt: TryChange): Promise<Solved | undefined> {
  let left = MOST_ATTEMPTS;
  const attemptOne: TryChange = async (change) => (left-- > 0 ? attempt(change) : question);
  const found = await search(question, UNCHANGED, attemptOne);
  if (found) return toSolved(found, true);
  const advised = listProposals(question).find(({ advice }) => advice);
  return advised && toSolved(join(UNCHANGED, advised), false);
}

const toSolved = ({ change, steps }: Candidate, tried: boolean): Solved => ({
  text: steps.map(({ text }) => text).join(" "),
  change,
  tried,
});

const listProposals = (question: RejectedRequest): Proposal[] => [
  ...(findRule(question.rejection.rule).smallest?.(question) ?? []),
];

/** What only advises can't be tried. */
const canBeTried = ({ set, first, at, scopes }: Proposal): boolean =>
  (set !== undefined && Object.keys(set).length > 0) || first !== undefined || at !== undefined || scopes !== undefined;

async function search(
  question: RejectedRequest,
  candidate: Candidate,
  attempt: TryChange,
  depth = 1,
): Promise<Candidate | undefined> {
  const others: { question: RejectedRequest; candidate: Candidate }[] = [];
  for (const proposal of listProposals(question).filter(canBeTried)) {
    const next = join(candidate, proposal);
    const against = await attempt(next.change);
    if (against === undefined) return next;
    // It may be the first half of a change that works.
    if (isProgress(against, question)) others.push({ question: against, candidate: next });
  }
  if (depth === DEEPEST) return undefined;
  // Breadth first: a change in one step is smaller than one in two.
  for (const other of others.slice(0, 2)) {
    const found = await search(other.question, other.candidate, attempt, depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** Another rule, or the same one at another place: what was wrong is right now. */
function isProgress({ rejection: now }: RejectedRequest, { rejection: before }: RejectedRequest): boolean {
  return now.rule !== before.rule || now.message !== before.message;
}

function join({ change, steps }: Candidate, proposal: Proposal): Candidate {
  const { set, first, at, scopes } = proposal;
  return {
    change: {
      ...change,
      set: { ...omitAll(change.set, set), ...set },
      first: [...change.first, ...(first ?? [])],
      ...(at === undefined ? {} : { at }),
      ...(scopes === undefined ? {} : { scopes }),
    },
    steps: [...steps.filter((step) => !isOverridden(step, set)), proposal],
  };
}

/** Whether all that it sets is set to something else later. */
function isOverridden({ set, first, at, scopes }: Proposal, by: Proposal["set"] = {}): boolean {
  if (set === undefined || first || at !== undefined || scopes) return false;
  return Object.keys(set).every((path) => isSetBy(path, by));
}

/** A list or an object that is set as a whole brings its members along. */
const isSetBy = (path: string, set: ProposedChange["set"]): boolean =>
  Object.keys(set).some((each) => path === each || path.startsWith(`${each}.`));

const omitAll = (set: ProposedChange["set"], by: ProposedChange["set"] = {}): ProposedChange["set"] =>
  Object.fromEntries(Object.entries(set).filter(([path]) => !isSetBy(path, by)));
