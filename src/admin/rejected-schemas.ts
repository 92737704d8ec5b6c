import { Type } from 'typebox'
import { linePrecisions } from '../model/line-format.ts'
import { defaultLimits } from '../model/page.ts'
import { rejectCodes } from '../model/row-fault.ts'
import { orNull, pageSchema } from './list-page.ts'

const FaultyField = orNull(Type.String(), {
  description: 'The invalid property, as pushed; null if the whole row is invalid.',
})
const Code = Type.Enum([...rejectCodes])

export const RejectedAnswer = Type.Object(
  {
    id: Type.String({ description: 'The id of the row among the rejected rows of its ingest.' }),
    batch: Type.String({ description: 'The batch that it was pushed in.' }),
    index: Type.Integer({ minimum: 0, description: 'Its place in the batch, from 0.' }),
    row: Type.String({ description: 'The row as it was pushed, character for character.' }),
    field: FaultyField,
    code: Code,
    message: Type.String(),
    received: Type.String({ format: 'date-time' }),
    precision: Type.Optional(
      Type.Enum([...linePrecisions], {
        description: "For line protocol only: the unit of the line's time.",
      }),
    ),
  },
  { description: 'A row that was not stored, and why.' },
)
export type RejectedAnswer = Type.Static<typeof RejectedAnswer>

export const RejectedPageAnswer = pageSchema(RejectedAnswer)

/** The most kinds of faults in a summary; those with the most rows are listed. */
export const summaryKindsMax = 1000

const KindAnswer = Type.Object(
  {
    code: Code,
    field: FaultyField,
    count: Type.Integer({ minimum: 1, description: 'How many rejected rows have this code and field.' }),
    first: Type.String({ format: 'date-time', description: 'When the first of them was received.' }),
    last: Type.String({ format: 'date-time', description: 'When the last of them was received.' }),
    example: Type.String({ description: 'The `id` of one of these rows.' }),
  },
  { description: 'Rejected rows with the same fault.' },
)

export const RejectedSummaryAnswer = Type.Array(KindAnswer, {
  description: `Most rows first; the ${summaryKindsMax} faults at most.`,
})
export type RejectedSummaryAnswer = Type.Static<typeof RejectedSummaryAnswer>

export const BatchAnswer = Type.Object(
  {
    batch: Type.String({ description: 'The id of the push.' }),
    received: Type.String({ format: 'date-time' }),
    rows: Type.Integer({ minimum: 0, description: 'Rows received: stored, rejected and pending ones together.' }),
    stored: Type.Integer({ minimum: 0, description: 'Rows that can be queried.' }),
    rejected: Type.Integer({
      minimum: 0,
      description: 'Rows that failed validation, including discarded ones; 0 when a replay has stored them all.',
    }),
    pending: Type.Integer({ minimum: 0, description: 'Rows that are on disk and cannot be queried yet.' }),
  },
  { description: 'A push that has, or had, rejected rows.' },
)
export type BatchAnswer = Type.Static<typeof BatchAnswer>

export const BatchPageAnswer = pageSchema(BatchAnswer)

export const DiscardRequest = Type.Object(
  {
    ids: Type.Optional(
      orNull(Type.Array(Type.String(), { maxItems: defaultLimits.itemsMax }), {
        description: `The ids of the rows to discard, at most ${defaultLimits.itemsMax}. Without it, all rows.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type DiscardRequest = Type.Static<typeof DiscardRequest>

export const DiscardAnswer = Type.Object({
  discarded: Type.Integer({ minimum: 0, description: 'The number of discarded rows.' }),
})
export type DiscardAnswer = Type.Static<typeof DiscardAnswer>
