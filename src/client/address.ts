// Parses addresses of a sandbox or a receiver as users write them.
/**
 * Returns the address without a final slash and without the path of the control API. Returns undefined unless it is an http or https
 * address without a user, which `fetch` rejects.
 */
export function parseSandboxAddress(text: string): string | undefined {
  const url = readHttp(text);
  if (url?.username !== "") return undefined;
  return text.replace(/(?<!\/)\/+$/, "").replace(/\/_sandbox$/, "");
}

/** Suggests a valid address for an invalid one. */
export function suggestAddress(text: string): string {
  // Often only the scheme is missing.
  return readHttp(/^[\w.-]+:\d+$/.test(text) ? `http://${text}` : text)?.origin ?? "http://127.0.0.1:4010";
}

/** A port, with or without a path, or a text that must be a host because it has a port or a dot. */
const PORT_FIRST = /^:?(\d{1,5}(?:\/.*)?)$/;
const HOST_FIRST = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d)|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?].*)?$/i;

/** Parses the address of a receiver. The scheme and `localhost` may be missing. Returns undefined for any other text. */
export function parseReceiverAddress(text: string): string | undefined {
  const port = PORT_FIRST.exec(text)?.[1];
  const address = port !== undefined ? `http://localhost:${port}` : HOST_FIRST.test(text) ? `http://${text}` : text;
  return readHttp(address)?.username === "" ? address : undefined;
}

function readHttp(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.hostname !== "" ? url : undefined;
}
