import { Type } from 'typebox'
import { defaultLimits } from '../model/page.ts'
import { rejectCodes } from '../model/row-fault.ts'
import { conversions } from '../model/row-mapping.ts'
import { orNull } from './list-page.ts'

/** The most properties of each kind in a mapping. */
const mappingMax = 100
const bounded = { maxProperties: mappingMax }

export const ReplayRequest = Type.Object(
  {
    ids: Type.Optional(
      orNull(Type.Array(Type.String(), { maxItems: defaultLimits.itemsMax }), {
        description: `The ids of the rows to validate again, at most ${defaultLimits.itemsMax}. Without it, all rows of the ingest.`,
      }),
    ),
    into: Type.Optional(
      Type.String({
        description:
          'The alias of another ingest: rows are validated against its fields, and valid ones are stored in its entity as if pushed now.',
        examples: ['plant2'],
      }),
    ),
    drop: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: mappingMax,
        description: `First step: properties to leave out, by their pushed names. At most ${mappingMax}.`,
        examples: [['comment']],
      }),
    ),
    rename: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        ...bounded,
        description: `Second step: new names of properties, by the old ones. A row that already has the new name keeps the old one. At most ${mappingMax}.`,
        examples: [{ value: 'V' }],
      }),
    ),
    set: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
        ...bounded,
        description: `Third step: new values of properties in every row. The preview counts the valid values that are overwritten. Whole numbers up to 2^53; set larger ones as a text and convert it. At most ${mappingMax}.`,
        examples: [{ T: 'boiler.temp' }],
      }),
    ),
    set_missing: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
        ...bounded,
        description: `As set, but only in rows where the property is missing or null. At most ${mappingMax}.`,
        examples: [{ T: 'boiler.temp' }],
      }),
    ),
    convert: Type.Optional(
      Type.Record(Type.String(), Type.Enum([...conversions]), {
        ...bounded,
        description: `Last step: conversions of properties: to a number (decimal_comma: from a text like 81,5 or 1.081,5), a text or a boolean; or to a time, from a text with a space instead of the T or without a zone (iso), or from a count since 1970 (seconds and finer units). A value that cannot be converted stays. At most ${mappingMax}.`,
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
  likely: orNull(Type.String(), { description: 'The likely intended name.' }),
})
const unusedText = 'Names in the request that no row has, probably misspelt.'

export const ReplayAnswer = Type.Object({
  replayed: Type.Integer({
    minimum: 0,
    description: 'How many rows were validated again, without rows discarded meanwhile.',
  }),
  stored: Type.Integer({
    minimum: 0,
    description: 'How many of them are stored now, also by an earlier unfinished replay.',
  }),
  rejected: Type.Integer({
    minimum: 0,
    description:
      'How many are still rejected, with their new reason. Rows that were changed or sent to another ingest keep their old reason.',
  }),
  unused: Type.Optional(Type.Array(UnusedNameAnswer, { description: `${unusedText} Left out if there are none.` })),
})
export type ReplayAnswer = Type.Static<typeof ReplayAnswer>

const MendedAnswer = Type.Object({
  id: Type.String({ description: 'The id of the row among the rejected rows of its ingest.' }),
  before: Type.String({ description: 'The row as it was pushed.' }),
  after: Type.String({ description: 'The row after the changes.' }),
  code: orNull(Type.Enum([...rejectCodes]), {
    description: 'The reason for its rejection; null if it would be stored.',
  }),
  field: orNull(Type.String()),
  message: orNull(Type.String()),
})

/** The most rows that a preview shows individually. */
export const previewRowsMax = 20

export const PreviewAnswer = Type.Object(
  {
    rows: Type.Integer({
      description: 'How many rows were validated: the first ones, at most limits.checkRows.',
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
          'Properties where set would overwrite a valid value. The old value is lost once such a row is stored; set_missing keeps it.',
      },
    ),
    unused: Type.Array(UnusedNameAnswer, { description: unusedText }),
    Items: Type.Array(MendedAnswer, { description: `The first ${previewRowsMax} of them.` }),
  },
  { description: 'The outcome of a replay for the first rows. Nothing is changed.' },
)
export type PreviewAnswer = Type.Static<typeof PreviewAnswer>
