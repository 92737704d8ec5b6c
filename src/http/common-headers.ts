import { packageVersion } from '../lib/own-package.ts'

/**
 * Pages of the service load only its own files and cannot be framed. Responses that are not pages have the header too, so that a browser tricked into
 * displaying one runs nothing of it.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The headers of every page and response, including responses to invalid HTTP. */
export function commonHeaders(requestId: string): Readonly<Record<string, string>> {
  return {
    'Tidemark-Version': packageVersion,
    'X-Request-Id': requestId,
    'Content-Security-Policy': contentSecurityPolicy,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // Data that was read with a key must not be cached where others might access it.
    'Cache-Control': 'no-store',
  }
}
