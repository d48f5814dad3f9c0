// The sandbox words an error for its HTTP API: by paths, and by members of a request. Each client rewords it for its own users.

/** What stands for a request of the control API, such as `GET /_sandbox/worlds`; `$1` is what follows the path. */
export type Requests = readonly (readonly [request: RegExp, words: string])[];

export function reworded(sentence: string, requests: Requests): string {
  const named = requests.reduce((text, [request, words]) => text.replace(request, words), sentence);
  return named
    .replace(/(^|[\s(])(?:body|path|query)\.(?=\w)/g, "$1")
    .replace(/(^|\. )body must/g, "$1The input must")
    .replace("must be a name of", "must be");
}

/** The same requests as the methods of the library, and options of the command line as those of the library. */
const METHODS: Requests = [
  [/DELETE \/_sandbox\/worlds\/([\w.-]+\w)/g, "remove()"],
  [/POST \/_sandbox\/state\/reset/g, "reset()"],
  [/GET \/_sandbox\/messages/g, "webhooks.all()"],
  [/GET \/_sandbox\/(?:requests|log)\b/g, "requests()"],
  [/GET \/_sandbox\/why\/\{id\}/g, "why(id)"],
  [/DELETE \/_sandbox\/faults/g, "faults.clear()"],
  [/([.?]) GET \/_sandbox\/(?:worlds|acts) lists them\./g, "$1"],
  [/send `Authorization: Bearer <(?:control )?token>`/g, "give it as `controlToken` or in SANDBOX_CONTROL_TOKEN"],
  [/--memory\b/g, "without `data`"],
  [/(?:start the sandbox|start) with --fresh\b/g, "start with `fresh: true`"],
  [/given at the start: --fixture <path>/g, "given to startSandbox: `fixture`"],
  [/--fixture (\.\S+)/g, '`fixture: "$1"`'],
];

const inCamelCase = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const inWordsOfLibrary = (sentence: string): string =>
  reworded(sentence, METHODS).replace(/--([a-z][a-z-]*[a-z])/g, (_, option: string) => `\`${inCamelCase(option)}\``);

/** For a promise that rejects with an error of the sandbox itself, which advises in options of the command line. */
export function rethrow(error: unknown): never {
  if (error instanceof Error) error.message = inWordsOfLibrary(error.message);
  throw error;
}
