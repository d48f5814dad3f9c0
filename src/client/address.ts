// The address of a sandbox, as people write it.

/**
 * Without a final slash, and without the control API's path; undefined where it is no http or https address, or has a user in it, whom
 * `fetch` refuses.
 */
export function sandboxAddress(text: string): string | undefined {
  const url = readHttp(text);
  if (url?.username !== "") return undefined;
  return text.replace(/(?<!\/)\/+$/, "").replace(/\/_sandbox$/, "");
}

/** How it may be meant. */
export function meantAddress(text: string): string {
  // Without its scheme it is often the right one.
  return readHttp(/^[\w.-]+:\d+$/.test(text) ? `http://${text}` : text)?.origin ?? "http://127.0.0.1:4010";
}

function readHttp(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.hostname !== "" ? url : undefined;
}
