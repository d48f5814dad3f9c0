// Compares secrets in constant time, also if their lengths differ.
import { hash, timingSafeEqual } from "node:crypto";

export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

const digest = (text: string): Buffer => hash("sha256", text, "buffer");
