// The certificate of a program: made of a verdict by a profile, signed, and verified.
export {
  ATTESTED,
  type BooksFigures,
  type Certificate,
  type CertificateSubject,
  certificateOf,
  type SoakFigures,
  whyBooksUnsigned,
  whySoakUnsigned,
  whyUnsigned,
} from "./certificate.ts";
export { opened, sealed, WrongPassphrase } from "./sealed-key.ts";
export { newKey, publicOf, readKey, signed } from "./sign.ts";
export { type Verified, verified } from "./verify.ts";
