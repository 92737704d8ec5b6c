// The answers of ingestion, for the OpenAPI document.
import Type, { type Static } from 'typebox'

const text = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const fault = {
  field: text('The pushed property at fault; null if the whole row is.'),
  code: Type.String({ examples: ['unknown_field'] }),
  message: Type.String(),
}
const index = Type.Integer({ description: "The row's place in the push, from 0." })
const RowError = Type.Object({ index, ...fault })
const CheckedRow = Type.Object({
  index,
  ...fault,
  further: Type.Optional(
    Type.Array(Type.Object(fault), {
      description: 'What else is wrong with the row, at most 20 faults. Not of lines, nor of rows beyond 64 KiB.',
    }),
  ),
})

export const ReceiptAnswer = Type.Object(
  {
    batch: Type.String({ description: 'The id of the push.' }),
    rows: Type.Integer({ description: 'Rows received: stored, rejected and pending ones together.' }),
    stored: Type.Integer({
      description:
        'Rows that can be queried. Those that are older than the entity keeps its items count too, and nobody is shown them.',
    }),
    rejected: Type.Integer({ description: 'Rows that were not stored, and are kept for the operator.' }),
    pending: Type.Integer({ description: 'Rows that are on disk and not judged yet.' }),
    replaced: Type.Integer({
      description:
        'Stored rows that replaced an earlier one of the same push, of the same time and tags: 0 unless `duplicates` is `replace`. Of a push of more than 4,194,304 rows, these first ones are compared.',
    }),
    errors: Type.Array(RowError, { description: 'The first of the rejected rows, by index.' }),
  },
  { description: 'What became of the rows of one push.' },
)

export type ReceiptAnswer = Static<typeof ReceiptAnswer>

export const CheckAnswer = Type.Object(
  {
    rows: Type.Integer({ description: 'Rows that were checked.' }),
    stored: Type.Integer({ description: 'Rows that would be stored.' }),
    rejected: Type.Integer({ description: 'Rows that would be rejected.' }),
    errors: Type.Array(CheckedRow, { description: 'All rows that would be rejected, by index.' }),
    hints: Type.Optional(
      Type.Array(Type.Object({ index, field: Type.String(), message: Type.String() }), {
        description:
          'What may be meant otherwise than it is read: the first time that looks like seconds and is read as milliseconds. Looked for in the first 100 rows and 64 KiB, not in lines; left out where there is none.',
      }),
    ),
  },
  { description: 'What the receipt would say if these rows were pushed now.' },
)

export type CheckAnswer = Static<typeof CheckAnswer>

export const Accepted = Type.Object(
  { batch: Type.String({ description: 'The id of the push, for its receipt.' }), rows: Type.Integer() },
  { description: 'The rows are on disk.', examples: [{ batch: 'b1', rows: 2 }] },
)

export type Accepted = Static<typeof Accepted>

/** The receipt is the answer when `wait=true` and the rows became queryable in time. */
export const PushAnswer = Type.Union([Accepted, ReceiptAnswer])
