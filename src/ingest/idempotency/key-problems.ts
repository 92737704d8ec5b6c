import { Problem } from '../../model/problem.ts'

export function keyReused(): Problem {
  return new Problem(
    'idempotency_key_reused',
    'A push to this ingest with the same Idempotency-Key and another body, or another Content-Type, was stored in the last 24 hours. Nothing was stored now: use a new key for each new body.',
  )
}

export function tooManyKeys(keysMax: number): Problem {
  return new Problem(
    'overloaded',
    `${keysMax} idempotency keys (limits.idempotencyKeys) were used in the last 24 hours, and no more are kept. Nothing was stored. Push again later, ` +
      'or without an Idempotency-Key.',
    { retryAfterS: 60 },
  )
}
