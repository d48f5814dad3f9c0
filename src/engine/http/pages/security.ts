// The policies of pages: load only from the sandbox, run no text as a script, allow no frames.
const NO_WAY_OUT = ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "object-src 'none'"];

const policies = {
  /** Our own pages. */
  own: ["default-src 'self'", ...NO_WAY_OUT, "require-trusted-types-for 'script'"],
  /** The reader of the specification writes styles of its own, and carries pictures in them. */
  reader: [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    ...NO_WAY_OUT,
    "require-trusted-types-for 'script'",
  ],
} satisfies Record<string, readonly string[]>;

export type PagePolicy = keyof typeof policies;

/** `more`: additions to the policy of the page, such as the hash of an inline style. */
export function createSecurityHeaders(page: PagePolicy, more: readonly string[] = []): Record<string, string> {
  return {
    "content-security-policy": [...policies[page], ...more].join("; "),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}
