import { Type } from 'typebox'
import { usualLimits } from '../model/page.ts'
import { rejectCodes } from '../model/row-fault.ts'
import { conversions } from '../model/row-mapping.ts'

/** A mapping names at most so many properties of each kind. */
const mappingMax = 100
const bounded = { maxProperties: mappingMax }

export const ReplayRequest = Type.Object(
  {
    ids: Type.Optional(
      Type.Union([Type.Array(Type.String(), { maxItems: usualLimits.itemsMax }), Type.Null()], {
        description: `The ids of the rows to judge again, at most ${usualLimits.itemsMax}. Without it, all rows of the ingest.`,
      }),
    ),
    into: Type.Optional(
      Type.String({
        description:
          'The alias of another ingest: the rows are judged by its fields, and those that pass are stored in its entity, as new as this replay.',
        examples: ['plant2'],
      }),
    ),
    drop: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: mappingMax,
        description: `Properties that are left out, by the names that were pushed; done first. At most ${mappingMax}.`,
        examples: [['comment']],
      }),
    ),
    rename: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        ...bounded,
        description: `New names of properties, by the old ones; done next. A row that has the new name already keeps the old one. At most ${mappingMax}.`,
        examples: [{ value: 'V' }],
      }),
    ),
    set: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
        ...bounded,
        description: `Values that properties get in every row, after renaming, whatever they had: the preview counts the good values that are overwritten. Whole numbers are taken up to 2^53; set larger ones as a text and convert it. At most ${mappingMax}.`,
        examples: [{ T: 'boiler.temp' }],
      }),
    ),
    set_missing: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
        ...bounded,
        description: `As set, but only in rows that have nothing there, or null. At most ${mappingMax}.`,
        examples: [{ T: 'boiler.temp' }],
      }),
    ),
    convert: Type.Optional(
      Type.Record(Type.String(), Type.Enum([...conversions]), {
        ...bounded,
        description: `How the values of properties are converted, at last: to a number (decimal_comma: of a text like 81,5 or 1.081,5), a text or a boolean; or to a time, of a text with a space in place of the T or none of a zone (iso), or of a count since 1970 (seconds and the finer units). What cannot be converted stays as it is. At most ${mappingMax}.`,
        examples: [{ V: 'number' }],
      }),
    ),
  },
  { additionalProperties: false },
)
export type ReplayRequest = Type.Static<typeof ReplayRequest>

const UnusedNameAnswer = Type.Object({
  of: Type.Enum(['drop', 'rename', 'convert']),
  name: Type.String({ description: 'As the request has it.' }),
  likely: Type.Union([Type.String(), Type.Null()], { description: 'The name of the rows that was likely meant.' }),
})
const unusedText = 'Names in the request that no row has: they are likely misspelt.'

export const ReplayAnswer = Type.Object({
  replayed: Type.Integer({
    minimum: 0,
    description: 'How many rows were judged again, without those that were discarded meanwhile.',
  }),
  stored: Type.Integer({
    minimum: 0,
    description: 'How many of them are stored now, also by an earlier replay that nobody waited for.',
  }),
  rejected: Type.Integer({
    minimum: 0,
    description:
      'How many are still rejected, with their new reason. Rows that were mended or judged for another ingest keep the one that they had.',
  }),
  unused: Type.Optional(Type.Array(UnusedNameAnswer, { description: `${unusedText} Left out where there are none.` })),
})
export type ReplayAnswer = Type.Static<typeof ReplayAnswer>

const MendedAnswer = Type.Object({
  id: Type.String({ description: 'The id of the row among the rejected rows of its ingest.' }),
  before: Type.String({ description: 'The row as it was pushed.' }),
  after: Type.String({ description: 'The row as it would be judged.' }),
  code: Type.Union([Type.Enum([...rejectCodes]), Type.Null()], {
    description: 'Why it would be rejected still; null if it would be stored.',
  }),
  field: Type.Union([Type.String(), Type.Null()]),
  message: Type.Union([Type.String(), Type.Null()]),
})

/** A preview shows so many rows one by one. */
export const previewRowsMax = 20

export const PreviewAnswer = Type.Object(
  {
    rows: Type.Integer({
      description: 'How many rows were judged: the first of those asked for, at most limits.checkRows.',
    }),
    stored: Type.Integer({ description: 'How many of them would be stored.' }),
    rejected: Type.Integer({ description: 'How many would still be rejected.' }),
    more: Type.Boolean({ description: 'Whether there are further rows.' }),
    overwritten: Type.Array(
      Type.Object({
        name: Type.String({ description: 'The property.' }),
        rows: Type.Integer({ description: 'In how many of the rows.' }),
        first: Type.String({ description: 'The id of the first of them.' }),
      }),
      {
        description:
          'Where set puts another value in place of one that the ingest would take. Once such a row is stored, its old value is gone; set_missing leaves it.',
      },
    ),
    unused: Type.Array(UnusedNameAnswer, { description: unusedText }),
    Items: Type.Array(MendedAnswer, { description: `The first ${previewRowsMax} of them.` }),
  },
  { description: 'What a replay would do to the first rows. Nothing is changed.' },
)
export type PreviewAnswer = Type.Static<typeof PreviewAnswer>
