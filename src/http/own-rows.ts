import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { RowsOf } from '../admin/rejected-rows.ts'
import type { Ingest } from '../model/ingest.ts'
import { existingIngest } from './existing-ingest.ts'
import type { RouteParts } from './route.ts'

export const OwnParameters = Type.Object({ ingest: Type.String({ description: 'The alias of the ingest.' }) })

interface OwnRequest extends Pick<FastifyRequest, 'headers' | 'routeOptions' | 'query'> {
  readonly params: { readonly ingest: string }
}

/**
 * Lets subscribers that push to an ingest, or once did, see what they pushed themselves. As for a push, access comes before existence, so that nobody
 * learns which ingests there are. Throws Problem `forbidden`, `ingest_not_found`.
 */
export function ownRows({ guard, services }: Pick<RouteParts, 'guard' | 'services'>) {
  const of = (request: OwnRequest): RowsOf & { readonly ingest: Ingest } => {
    const { ingest: alias } = request.params
    const { access, definitions } = services
    const { subscriberId } = access.requireOwnRows(guard.asker(request), alias)
    const ingest = existingIngest(definitions, alias, (other) => access.mayPush(subscriberId, other))
    return { ingest, ingestId: ingest.id, subscriberId }
  }
  const admit = (request: OwnRequest, _reply: unknown, done: () => void): void => {
    of(request)
    done()
  }
  return { of, admit }
}

/** What a request for one's own rows may be refused for, whatever it asks. */
export const ownProblems = [
  'invalid_request',
  'forbidden',
  'ingest_not_found',
  'not_acceptable',
  'shutting_down',
] as const
