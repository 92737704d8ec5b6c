// Responses of the data queries, for the OpenAPI document.
import Type, { type Static } from 'typebox'
import { type Shape, shapes } from '../model/entity.ts'
import { type FieldRole, type FieldType, fieldTypes, seriesRoles } from '../model/field.ts'
import { type QualityCoding, qualityCodings } from '../model/quality.ts'

/** Flat rows under the entity's own field names, so the properties of a row depend on the entity. */
export const RowsResponse = Type.Array(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'One row: time, tag, `fields`, the quality if items that are not good are included, and metrics, under the field names of the entity.',
    },
  ),
  { examples: [[{ D: '2026-01-01T00:00:00.000Z', T: 'boiler.temp', V: 1.5 }]] },
)

const nullableDate = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description })

export const EntityDescription = Type.Object({
  entity: Type.String({ description: 'The name to use in queries.', examples: ['plant'] }),
  ingests: Type.Array(Type.String(), { description: 'Aliases of the ingests that feed it now.' }),
  time_field: Type.String({ description: 'The field that holds the date of an item.', examples: ['D'] }),
  fields: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.Unsafe<FieldType>({ type: 'string', enum: fieldTypes.filter((type) => type !== 'json') }),
      role: Type.Unsafe<FieldRole>({ type: 'string', enum: [...seriesRoles] }),
      coding: Type.Optional(
        Type.Unsafe<QualityCoding>({
          type: 'string',
          enum: [...qualityCodings],
          description: 'Of a quality: what its numbers mean. Left out: `opcda`.',
        }),
      ),
    }),
  ),
  rows: Type.Integer({ description: 'Stored rows.' }),
  first_date: nullableDate('The oldest stored date, null if there is none.'),
  last_date: nullableDate('The newest stored date, null if there is none.'),
  rows_from: Type.Optional(
    nullableDate(
      'Rows exist from this date on, only the hours of earlier ones are kept; null while none have expired. Left out if no hours are kept.',
    ),
  ),
  hours_from: Type.Optional(nullableDate('The first kept hour; null while there is none.')),
  time_zone: Type.Optional(
    Type.String({
      description: 'Whose clocks buckets begin by where a request names no zone. Left out: UTC.',
      examples: ['Europe/Madrid'],
    }),
  ),
  shapes: Type.Optional(
    Type.Unsafe<Readonly<Record<string, Shape>>>({
      type: 'object',
      additionalProperties: { type: 'string', enum: [...shapes] },
      description:
        'How the value of a metric goes from one item to the next. Left out: `line` for doubles, else `step`.',
      examples: [{ V: 'step' }],
    }),
  ),
  max_gaps: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'How far from an item the value of a metric is known, as an ISO 8601 duration. Left out: no bound.',
      examples: [{ V: 'PT1H' }],
    }),
  ),
  of_service: Type.Optional(
    Type.Boolean({ description: "True of the service's own history, `tidemark_self`; left out of all others." }),
  ),
})

export const EntitiesResponse = Type.Array(EntityDescription)

export type EntityDescription = Static<typeof EntityDescription>
