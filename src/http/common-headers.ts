import { packageVersion } from '../lib/own-package.ts'

/**
 * What a page of the service may load and who may show it: its own files alone, nobody in a frame. Answers that are no pages carry it too: a
 * browser that is made to show one runs nothing of it.
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

/** The headers of every page and answer, those to what was no HTTP among them. */
export function commonHeaders(requestId: string): Readonly<Record<string, string>> {
  return {
    'Tidemark-Version': packageVersion,
    'X-Request-Id': requestId,
    'Content-Security-Policy': contentSecurityPolicy,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // What may be read with a key is not to be kept where others might get at it.
    'Cache-Control': 'no-store',
  }
}
