// The address of a sandbox, as people write it.

/**
 * Without a final slash, and without the control API's path; undefined where it is no http or https address, or has a user in it, whom
 * `fetch` refuses.
 */
export function parseSandboxAddress(text: string): string | undefined {
  const url = readHttp(text);
  if (url?.username !== "") return undefined;
  return text.replace(/(?<!\/)\/+$/, "").replace(/\/_sandbox$/, "");
}

/** How it may be meant. */
export function suggestAddress(text: string): string {
  // Without its scheme it is often the right one.
  return readHttp(/^[\w.-]+:\d+$/.test(text) ? `http://${text}` : text)?.origin ?? "http://127.0.0.1:4010";
}

/** A port alone, also with a path; or a host that can't be anything else, since it has a port or a dot. */
const PORT_FIRST = /^:?(\d{1,5}(?:\/.*)?)$/;
const HOST_FIRST = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d)|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?].*)?$/i;

/** The address of a receiver, where people may leave out the scheme and `localhost`. Undefined where that is not all that is missing. */
export function parseReceiverAddress(text: string): string | undefined {
  const port = PORT_FIRST.exec(text)?.[1];
  const address = port !== undefined ? `http://localhost:${port}` : HOST_FIRST.test(text) ? `http://${text}` : text;
  return readHttp(address)?.username === "" ? address : undefined;
}

function readHttp(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.hostname !== "" ? url : undefined;
}
