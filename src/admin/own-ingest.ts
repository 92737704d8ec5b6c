import { Type } from 'typebox'
import type { Ingest } from '../model/ingest.ts'
import { formatInstant } from '../model/instant.ts'
import { IngestAnswer, Lines, UnknownRule } from './ingest-schemas.ts'

const { alias, kind, fields, state, reason } = IngestAnswer.properties

export const OwnIngestAnswer = Type.Object(
  {
    alias,
    kind,
    entity: Type.String({ description: 'The entity, or metadata entity, of the ingest.' }),
    state,
    reason,
    fields,
    unknown: UnknownRule,
    lines: Type.Union([Lines, Type.Null()]),
    kept_from: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description:
        'The entity keeps items from this date on (its retention). An older row is stored, but never shown. Null keeps all.',
    }),
  },
  { description: 'An ingest as its senders see it.' },
)
export type OwnIngestAnswer = Type.Static<typeof OwnIngestAnswer>

/** `sinceMs` is from when on the entity keeps its items; null keeps all. */
export function ownIngestAnswer(ingest: Ingest, sinceMs: number | null): OwnIngestAnswer {
  return {
    alias: ingest.alias,
    kind: ingest.kind,
    entity: ingest.entity,
    state: ingest.state,
    reason: ingest.reason,
    fields: [...ingest.fields],
    unknown: ingest.unknown ?? 'reject',
    lines: ingest.lines ?? null,
    kept_from: sinceMs === null ? null : formatInstant(sinceMs),
  }
}
