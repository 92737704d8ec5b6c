import { type Static, Type } from 'typebox'
import { type Deletion, type DeletionSelection, deletionOperators } from '../model/deletion.ts'
import { formatInstant, instantOrNull } from '../model/instant.ts'
import { orNull, pageSchema } from './list-page.ts'

const Instant = Type.String({ format: 'date-time' })
const InstantOrNull = orNull(Instant)
const NamesOrNull = orNull(Type.Array(Type.String()))

const DeletionSelectionAnswer = Type.Object(
  {
    ids: NamesOrNull,
    prefixes: NamesOrNull,
    id_name_field: Type.String(),
    start_date: InstantOrNull,
    end_date: InstantOrNull,
    metrics: NamesOrNull,
    where: orNull(
      Type.Object({
        metric: Type.String(),
        op: Type.Enum([...deletionOperators]),
        value: Type.Union([Type.Number(), Type.String(), Type.Boolean()]),
      }),
    ),
  },
  { description: 'The selection of the request; null for each property that was left out. Both dates belong to it.' },
)

const Rows = Type.Integer({
  description:
    'How many rows it hides; with `metrics`, rows in which one of them was not null. Rows that other deletions already hid do not count.',
})

export const DeletionAnswer = Type.Object(
  {
    id: Type.Integer({ description: 'The id to take it back with.' }),
    rows: Rows,
    selection: DeletionSelectionAnswer,
    reason: Type.String(),
    subscriber: Type.String({ description: 'Whose key it was.' }),
    created: Instant,
    erased: orNull(Instant, {
      description: 'The time from which its rows are permanently removed; null while it can be taken back.',
    }),
  },
  { title: 'Deletion', description: 'A deletion of rows.' },
)
export type DeletionAnswer = Type.Static<typeof DeletionAnswer>

export const DryDeletionAnswer = Type.Object({ rows: Rows }, { description: 'What a deletion would hide.' })
export type DryDeletionAnswer = Type.Static<typeof DryDeletionAnswer>

export const DeletionPage = pageSchema(DeletionAnswer)

export function deletionAnswer({
  id,
  rows,
  selection,
  reason,
  subscriber,
  createdMs,
  erasedMs,
}: Deletion): DeletionAnswer {
  return {
    id,
    rows,
    selection: selectionAnswer(selection),
    reason,
    subscriber,
    created: formatInstant(createdMs),
    erased: instantOrNull(erasedMs),
  }
}

/** The selection in a response; live readers receive the same. */
export function selectionAnswer(selection: DeletionSelection): Static<typeof DeletionSelectionAnswer> {
  const { tag, ids, prefixes, fromMs, toMs, metrics, where } = selection
  return {
    ids: ids === null ? null : [...ids],
    prefixes: prefixes === null ? null : [...prefixes],
    id_name_field: tag,
    start_date: instantOrNull(fromMs),
    end_date: instantOrNull(toMs),
    metrics: metrics?.map(({ name }) => name) ?? null,
    where: where === null ? null : { metric: where.metric.name, op: where.operator, value: shownValue(where) },
  }
}

/** The value in the form that a request would have. */
function shownValue({ metric, value }: NonNullable<Deletion['selection']['where']>): string | number | boolean {
  if (typeof value === 'bigint') return String(value)
  return metric.type === 'timestamp' && typeof value === 'number' ? formatInstant(value) : value
}
