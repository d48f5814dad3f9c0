// Serves the icon that browsers request, so that the request log has no 404 for it.
import type { Answer } from "../exchange.ts";

export const FAVICON_PATH = "/favicon.ico";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b5cad"/><path d="M3 9h10l-2 4H5zM8 2v6h4z" fill="#fff"/></svg>`;

export const showIcon = (): Answer => ({
  status: 200,
  headers: { "content-type": "image/svg+xml", "x-content-type-options": "nosniff", "cache-control": "max-age=86400" },
  body: ICON,
});
