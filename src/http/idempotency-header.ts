// The header by which a push that is sent again is known again.
import type { IncomingHttpHeaders } from 'node:http'
import Type from 'typebox'
import { schemaCompiler } from './validation.ts'

/** What the service keeps of a key is bounded, and a header holds no other characters for certain. */
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
/** As Node.js names them. */
const ReadHeaders = Type.Object({ 'idempotency-key': IdempotencyKey })

/** For routes whose body is validated later, and whose headers Node.js has read. */
export const validatePush: typeof schemaCompiler = (route) => {
  if (route.httpPart === 'body') return () => true
  return schemaCompiler(route.httpPart === 'headers' ? { ...route, schema: ReadHeaders } : route)
}

const keyPattern = new RegExp(keyForm)

/** As the schema says it. */
export function isIdempotencyKey(key: string): boolean {
  return key.length > 0 && key.length <= keyCharactersMax && keyPattern.test(key)
}

/** The header was checked; Node.js joins one that is there twice. */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | null {
  return headers['idempotency-key']?.toString() ?? null
}
