// The words of this program: those that have one meaning here, as AGENTS.md lists them, and those that are out, with the word to use.
// A word is a part of a name: `placedAt` has two. What the specification names is let through where it is a member.

/** Word → meaning; the table of AGENTS.md. */
export const WORDS_IN: readonly (readonly [word: string, meaning: string])[] = [
  ["world", "one isolated copy of everything: state, clock, credentials, subscriptions, request log, faults, seed"],
  ["fixture", "a world on disk"],
  ["act", "a host action that the public API has no endpoint for"],
  ["operation", "one operationId of the specification"],
  ["fact", "what a rule says has happened"],
  ["kind", "a webhook event kind; a message goes to each subscription as a delivery, in one or more attempts"],
  ["outbox", "messages written in the same commit as the change that caused them"],
  ["receipt", "the ordered list of what a clock move did"],
  ["transaction (`tx`)", "reads and writes of one change of one world"],
  ["activity log, accounting journal", 'two different things; never just "journal"'],
  ["assumption, flip", "an entry of the register; one of its alternative values"],
  ["fault", "a failure that the integrator arms"],
  ["view", "a record or an entry as it is answered or printed: `RecordView`, `messageView`"],
  ["path, location", "of a member in a document: `body.items.0`; where a world lives, or a parameter is sent"],
  ["quarantine", "a world with a broken record, which is not served while the others are"],
  ["`<Module>Deps`", "what a maker is handed, as a type of its own module"],
];

/** Word → the word to use instead. */
export const WORDS_OUT: Readonly<Record<string, string>> = {
  told: "reported, emitted, or what it is: phrases, lines, evidence",
  came: "received, actual, outcome",
  said: "message, details, given",
  asked: "requested, request, question, query",
  usual: "default, byDefault",
  kept: "retained, stored, cached, remaining",
  shown: "view, display, excerpt, visible",
  aside: "quarantine, or remark",
  place: "path, location, position, section",
  places: "paths, locations, positions, sections",
  shelf: "repository",
  courier: "dispatcher",
  lifted: "the overrides of an assumption",
  teller: "builder",
  tidy: "eviction, or what is removed",
  believe: "cache",
  believed: "cached",
  buried: "removed, dead",
  struck: "hit, hits",
  suffices: "has capacity",
  sure: "after durable, confirmed",
  peek: "read",
  unseen: "undecided, silent",
};

/** Where a word that is out is the field's own: a booking is placed. */
export const BY_THE_FIELD: readonly string[] = ["placeBooking"];

/** Members of what is printed, which no schema of the specification names. */
export const PRINTED: Readonly<Record<string, string>> = {
  came: "a step in the transcript of a scenario",
  asked: "what the tool `why` answers of a request",
  usual: "a command that runs where none is named",
};
