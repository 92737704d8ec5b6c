// The header that identifies a repeated push.
import type { IncomingHttpHeaders } from 'node:http'
import Type from 'typebox'
import { schemaCompiler } from './validation.ts'

/** Bounded, because the service stores keys; only printable ASCII is safe in a header. */
const [keyCharactersMax, keyForm] = [255, '^[ -~]*$']
const IdempotencyKey = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: keyCharactersMax,
    pattern: keyForm,
    description:
      'Printable ASCII characters that name this push. If the same subscriber sends the same body with the same key to the same ingest again within 24 hours, nothing is stored twice and the first answer is repeated. Another body gets a 400. Only a 200 uses a key up.',
    examples: ['9b2f2f0e-5f0b-4f57-a3f3-0a8b5d0c7a11'],
  }),
)
export const IdempotencyHeaders = Type.Object({ 'Idempotency-Key': IdempotencyKey })
/** Named as Node.js names headers. */
const ReadHeaders = Type.Object({ 'idempotency-key': IdempotencyKey })

/** The compiler for routes whose body is validated later, and whose headers Node.js has read. */
export const validatePush: typeof schemaCompiler = (route) => {
  if (route.httpPart === 'body') return () => true
  return schemaCompiler(route.httpPart === 'headers' ? { ...route, schema: ReadHeaders } : route)
}

const keyPattern = new RegExp(keyForm)

/** The same check as in the schema. */
export function isIdempotencyKey(key: string): boolean {
  return key.length > 0 && key.length <= keyCharactersMax && keyPattern.test(key)
}

/** The header is already validated. Node.js joins a repeated one. */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | null {
  return headers['idempotency-key']?.toString() ?? null
}
