// Explains why a message did not reach its receiver and what to do next. Node's own messages are no help to users, because they name
// functions of its parser and of OpenSSL.

interface ConnectionError {
  code?: string | undefined;
  message?: string;
  /** The first bytes of a response that the parser rejected. */
  rawPacket?: Buffer;
}

/** The first matching row applies. `when` is a condition in addition to the code. */
interface FailureReason {
  code: RegExp;
  when?: (error: ConnectionError, url: URL) => boolean;
  sentence: string;
}

/** Returns whether the response starts with a TLS alert or handshake record (RFC 8446, section 5.1). */
const isTlsStart = ({ rawPacket }: ConnectionError): boolean => rawPacket?.[0] === 0x15 || rawPacket?.[0] === 0x16;

/** Returns whether OpenSSL read bytes that are no TLS record, or a record that a server never sends. */
const isNotTls = ({ message = "" }: ConnectionError): boolean =>
  /wrong version number|packet length too long|unexpected message|http request/i.test(message);

const REASONS: readonly FailureReason[] = [
  { code: /^ECONNREFUSED$/, sentence: "Nothing listens at {host}. Start the receiver, or correct its URL" },
  {
    code: /^(ECONNRESET|EPIPE)$/,
    when: (_, url) => url.protocol === "http:",
    sentence: "{host} closed the connection without a response. If the receiver expects TLS, use https:// in its URL",
  },
  { code: /^(ECONNRESET|EPIPE)$/, sentence: "{host} closed the connection without a response" },
  { code: /^ENOTFOUND$/, sentence: "There is no host {host}. Correct the URL of the receiver" },
  { code: /^EAI_AGAIN$/, sentence: "The name {host} could not be looked up. Check the network" },
  {
    code: /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/,
    sentence: "{host} can't be reached over the network. Check the network, or correct the URL of the receiver",
  },
  { code: /^HPE_HEADER_OVERFLOW$/, sentence: "{host} sent response headers of more than 16 KiB" },
  { code: /^HPE_/, when: isTlsStart, sentence: "{host} expects TLS. Use https:// in the URL of the receiver" },
  {
    code: /^HPE_INVALID_CONSTANT$/,
    sentence: "{host} does not speak HTTP. Correct the port in the URL of the receiver",
  },
  { code: /^HPE_/, sentence: "{host} sent a response that is not valid HTTP" },
  {
    code: /^(EPROTO|ERR_SSL_\w+)$/,
    when: isNotTls,
    sentence: "{host} does not speak TLS. Use http:// in the URL of the receiver",
  },
  {
    code: /^(EPROTO|ERR_SSL_\w+)$/,
    sentence: "{host} rejected the TLS handshake. Check its TLS version, and whether it requires a client certificate",
  },
  {
    code: /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/,
    sentence:
      "The certificate of {host} is not trusted. Set NODE_EXTRA_CA_CERTS to the certificate of its authority, and start again",
  },
  { code: /^CERT_HAS_EXPIRED$/, sentence: "The certificate of {host} has expired" },
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    sentence: "The certificate of {host} is for another name. Use that name in the URL of the receiver",
  },
];

/** Returns one sentence with the code of the error. */
export function explainFailure(failure: ConnectionError, url: URL): string {
  // A host with several addresses causes one error for each.
  const [error = failure] = failure instanceof AggregateError ? (failure.errors as ConnectionError[]) : [failure];
  const { code = "", message = "The connection failed." } = error;
  const reason = REASONS.find((row) => row.code.test(code) && (row.when?.(error, url) ?? true));
  return reason ? `${reason.sentence.replace("{host}", url.host)} (${code}).` : message;
}
