// The certificate of a program: made of a verdict by a profile, signed, and verified.
export {
  type Certificate,
  certificateOf,
  type Subject,
  whyBooksUnsigned,
  whySoakUnsigned,
  whyUnsigned,
} from "./certificate.ts";
export { newKey, readKey, signed } from "./sign.ts";
export { type Verified, verified } from "./verify.ts";
