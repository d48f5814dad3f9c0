// The address of a sandbox, as people write it.

/** Without a final slash, and without the control API's path; undefined where it is no http or https address. */
export function sandboxAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "") return undefined;
  return text.replace(/(?<!\/)\/+$/, "").replace(/\/_sandbox$/, "");
}
