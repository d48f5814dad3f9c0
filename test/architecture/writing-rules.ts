// How this project writes, as data: the verbs that begin the name of a function, the words that plain English doesn't need, and for each
// measure its goal and the limit that holds today. A limit may only be lowered.

/** Verbs in the imperative, and the words that begin a question or a conversion. */
export const VERBS = new Set(
  `abort accept acquire act activate adapt add adjust admit advance advise allow announce answer append apply archive arm arrange ask assert
  assign assume attach attempt audit authenticate authorize await begin bind block book boot break build buy cache calculate call can cancel
  capture catch cause change charge check choose claim classify clean clear clone close code collect combine commit compact compare compile
  complete compress compute confirm connect consume continue convert copy count create cut decode decompress decrypt define delay delete
  deliver demand deny describe deserialize detect diff digest disable discard disconnect dispatch display download draw drop earn emit enable
  encode encrypt end enqueue ensure escape estimate evict examine exclude exec execute exit expand expect expire explain export extend extract
  fail fetch fill filter find finish fit flatten flush focus fold follow force forecast forget fork format forward free freeze from generate
  get grant group guard guess handle has hash have hide hold identify ignore import include increment indent index infer init inject inline
  insert inspect install introduce invert invoke is issue iterate join judge keep kill label learn leave limit link lint list listen load
  locate lock log look lookup make map mark match measure merge migrate minify mount move must name negotiate normalize note notice notify
  observe offer omit on open order override pack pad paginate parse pass patch pause pay perform pick pin place plan play poll populate post
  prepare press print proceed process produce prove provide prune publish pull push put quote read rebuild recall receive recompute reconcile
  record recover redact redeem redirect reduce refresh refund refuse register reject release reload remember remove rename render renew repair
  repeat replace replay reply report request require rerun resend reset resolve respond restart restore resume rethrow retry return reuse
  revoke rewind rewrite roll rotate round run sanitize save say scan schedule scroll search see select sell send separate serialize serve set
  settle share shift shorten should show shrink shut sign skip sleep slice sort speak spend split spread stage start stop store stream strip
  submit subscribe substitute subtract suggest sum summarize suspend swap switch sync synchronize take tamper tap tell terminate test throttle throw
  tick tighten to toggle touch trace track transform translate traverse trigger trim truncate try turn undo unlock unpack unref unregister
  unsubscribe unwrap update upgrade upload use validate verify visit void wait wake walk warn watch with wrap write`.split(
    /\s+/,
  ),
);

/** A name such as `textOf` ends with one of these. */
export const PREPOSITIONS = [
  "Of",
  "In",
  "For",
  "To",
  "At",
  "By",
  "With",
  "From",
  "On",
  "Into",
  "Without",
  "Beside",
  "Among",
];

/** Past participles that don't end in -ed. */
export const IRREGULAR_PARTICIPLES = new Set(
  `begun bound bought broken built chosen cut done drawn driven fallen felt found given gone grown heard held hidden kept known laid led left
  lent lost made meant met paid read run said seen sent set shown sold spelt spent spoken sung sunk taken taught thought told torn understood
  woken won worn written`.split(/\s+/),
);

/** Verbs that look like participles. */
export const NOT_PARTICIPLES = new Set("need seed feed speed embed exceed proceed read cut set run put".split(" "));

/** Words that ordinary technical English doesn't use. */
export const LITERARY_WORDS = [
  "anew",
  "whoever",
  "whatever",
  "meanwhile",
  "somebody",
  "nobody",
  "anybody",
  "thereby",
  "hence",
  "besides",
  "at all",
  "as it is",
  "as it was",
  "so many",
  "by then",
  "what becomes of",
  "the way back",
  "goes on",
  "held against",
];

/** A comment that begins with one of these has no subject, or names nothing. */
export const WEAK_BEGINNINGS = new Set(
  `of in by for with at from to as on into beside behind before after without within among until since like under over beyond
  what who whom whose where that those this it one none so also only not never nor or but and`.split(/\s+/),
);

export type Measure =
  | "literary words in documents"
  | "literary words in spec"
  | "literary words in src"
  | "functions that begin with a verb"
  | "functions named noun + preposition"
  | "functions named by a participle"
  | "comments without a subject"
  | "long sentences in documents";

/** `least` and `most`: the limit of today. `goal`: what it has to become. Shares are percentages. */
export const LIMITS: Record<Measure, { most?: number; least?: number; goal: number }> = {
  "literary words in documents": { most: 12, goal: 12 },
  "literary words in spec": { most: 4, goal: 10 },
  "literary words in src": { most: 8, goal: 30 },
  "functions that begin with a verb": { least: 95, goal: 70 },
  "functions named noun + preposition": { most: 0.5, goal: 3 },
  "functions named by a participle": { most: 0.3, goal: 1.5 },
  "comments without a subject": { most: 1, goal: 4 },
  "long sentences in documents": { most: 20, goal: 20 },
};

/** Longer sentences count, in words. */
export const MAX_SENTENCE_WORDS = 30;
