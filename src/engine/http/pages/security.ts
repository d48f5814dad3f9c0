// Defines the security policies of pages: they load only from the sandbox, run no inline scripts, and allow no frames.
const SHARED_DIRECTIVES = ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "object-src 'none'"];

const policies = {
  /** The policy of our own pages. */
  own: ["default-src 'self'", ...SHARED_DIRECTIVES, "require-trusted-types-for 'script'"],
  /** The reader of the specification creates styles with inline pictures. */
  reader: [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    ...SHARED_DIRECTIVES,
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
