// Sentences for why a connection to a receiver failed, for the person who reads the attempt.

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: "Nothing listens at {host}. Start the receiver, or correct the URL of the subscription",
  ECONNRESET: "{host} closed the connection without an answer",
  EPIPE: "{host} closed the connection while the message was sent",
  ENOTFOUND: "There is no host {host}. Correct the URL of the subscription",
  EAI_AGAIN: "The name of {host} could not be looked up now",
  HPE_HEADER_OVERFLOW: "{host} answered with headers beyond 16 KiB",
  CERT_HAS_EXPIRED: "The certificate of {host} has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate of {host} is for another name",
};

const UNTRUSTED =
  "The certificate of {host} is not trusted. Start the sandbox with NODE_EXTRA_CA_CERTS naming its authority";

export function connectionError(error: NodeJS.ErrnoException, host: string): string {
  // Where a name has several addresses, the error holds one error for each.
  const [first = error] = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [error];
  const code = first.code ?? "";
  const sentence = /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code) ? UNTRUSTED : SENTENCES[code];
  return sentence ? `${sentence.replace("{host}", host)} (${code}).` : first.message;
}
