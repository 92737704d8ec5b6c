// Common parts of a push and its check: authorization, target, and the format of the rows.
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Requester } from '../access/caller.ts'
import type { CheckRequest } from '../ingest/push-check.ts'
import type { Ingest } from '../model/ingest.ts'
import { Problem } from '../model/problem.ts'
import { type BodyRule, mediaTypeOf, pushTypes, readBytes } from './body.ts'
import { existingIngest } from './existing-ingest.ts'
import type { RouteParts } from './route.ts'
import type { Services } from './services.ts'

/** The target of an admitted push. */
export interface PushTarget {
  readonly subscriberId: number
  readonly keyId: string
  readonly ingest: Ingest
}

export const PushParameters = Type.Object({ ingest: Type.String({ description: 'The alias of the ingest.' }) })

const Row = Type.Object(
  {},
  { additionalProperties: true, description: 'The properties that the fields of the ingest name.' },
)
/** Only for documentation: rows are validated after the push. */
export const PushBody = {
  content: {
    'application/json': {
      schema: Type.Union([Row, Type.Array(Row)], {
        examples: [[{ D: '2026-01-01T00:00:00.000Z', T: 'boiler.temp', V: 1.5 }]],
      }),
    },
    'application/x-ndjson': { schema: Type.String() },
  },
}

/** The order of the checks is part of the interface: access, existence, state; then, with the rest of the request, the body. */
export function admitPush(
  { access, definitions }: Pick<Services, 'access' | 'definitions'>,
  asker: Requester,
  alias: string,
): PushTarget {
  const { subscriberId, keyId } = access.requireIngest(asker, alias)
  const ingest = existingIngest(definitions, alias, (other) => access.mayPush(subscriberId, other))
  if (ingest.state === 'blocked') {
    const reason = ingest.reason === null ? 'The operator gave no reason.' : `The operator's reason: ${ingest.reason}`
    throw new Problem('ingest_blocked', `The ingest ${alias} accepts no rows now. ${reason}`)
  }
  return { subscriberId, keyId, ingest }
}

type PushBodyParts = Pick<RouteParts, 'settings' | 'pushBodies'>

export function pushBodyRule(
  { settings, pushBodies }: PushBodyParts,
  mediaTypes: readonly string[] | null = pushTypes,
): BodyRule {
  return {
    limitBytes: settings.limits.ingestBodyBytes,
    limitName: 'limits.ingestBodyBytes',
    tooLarge: 'body_too_large',
    mediaTypes,
    budget: pushBodies,
  }
}

/** Reads the body of a push as bytes. */
export function readPushBody(parts: PushBodyParts, mediaTypes?: readonly string[] | null) {
  return readBytes(pushBodyRule(parts, mediaTypes))
}

export function pushedRows({
  body,
  headers,
}: Pick<FastifyRequest, 'body' | 'headers'>): Pick<CheckRequest, 'body' | 'format'> {
  if (!(body instanceof Uint8Array)) throw new Error('the body of a push is read as bytes')
  return { body, format: mediaTypeOf(headers['content-type']) === 'application/x-ndjson' ? 'ndjson' : 'json' }
}

export const pushProblems = [
  'invalid_request',
  'invalid_json',
  'invalid_body',
  'body_too_large',
  'too_many_rows',
  'forbidden',
  'ingest_not_found',
  'unsupported_media_type',
  'ingest_blocked',
  'too_many_requests',
  'overloaded',
  'shutting_down',
] as const
