import { Type } from 'typebox'
import { fieldTypes, metadataRoles, seriesRoles } from '../model/field.ts'
import { pageSchema } from './list-page.ts'

const nameRule =
  'begins with a letter or `_` and goes on with letters, digits, `_`, `.` and `-`; 128 characters at most.'

const NewField = Type.Object(
  {
    name: Type.String({ description: `What the field is called in queries: ${nameRule}` }),
    source: Type.Optional(
      Type.String({ description: 'The property of a pushed row that it is read from; by default its name.' }),
    ),
    type: Type.Enum([...fieldTypes], { description: '`json` is only for attributes of metadata items.' }),
    role: Type.Enum([...seriesRoles, ...metadataRoles], {
      description:
        'A series ingest has one `time` (a timestamp), one or more `tag`s (strings) and `metric`s, and `dimension`s; ' +
        'a metadata ingest has one `index` and `attribute`s.',
    }),
  },
  { additionalProperties: false },
)

const duplicateRules = ['keep', 'replace'] as const
const states = ['active', 'blocked'] as const
const kinds = ['series', 'metadata'] as const

/** Longer ones would name more than a line has. */
const templateCharactersMax = 1024

export const Lines = Type.Object(
  {
    tag: Type.String({
      maxLength: templateCharactersMax,
      description:
        'What the tag of such a row is: `{measurement}`, `{field}` and `{...}` with the name of a tag of the line; what the line lacks is empty.',
      examples: ['{measurement}.{host}.{field}'],
    }),
  },
  {
    additionalProperties: false,
    description: 'How lines of line protocol become rows: one of each field. Without it a line is one row.',
  },
)

export const UnknownRule = Type.Enum(['reject', 'add'], {
  description:
    'What becomes of a property that is no field: with `reject` (the default) the row is rejected, with `add` the property becomes a field. Series only.',
})

export const CreateIngest = Type.Object(
  {
    alias: Type.String({ description: `The name that rows are pushed to: ${nameRule}` }),
    kind: Type.Enum([...kinds]),
    entity: Type.Optional(
      Type.String({ description: 'The entity that a series ingest feeds; by default one of its own alias.' }),
    ),
    fields: Type.Optional(
      Type.Array(NewField, {
        description: 'By default, for a series, `D` (timestamp, time), `T` (string, tag) and `V` (double, metric).',
      }),
    ),
    duplicates: Type.Optional(
      Type.Enum([...duplicateRules], {
        description:
          'Of items with the same time and tags, `keep` (the default) keeps all; `replace` lets the later replace the earlier.',
      }),
    ),
    unknown: Type.Optional(UnknownRule),
    lines: Type.Optional(Type.Union([Lines, Type.Null()])),
  },
  { additionalProperties: false, description: 'A new ingest.' },
)
export type CreateIngest = Type.Static<typeof CreateIngest>

export const ChangeIngest = Type.Object(
  {
    state: Type.Optional(
      Type.Enum([...states], { description: 'Pushes to a blocked ingest are refused; reading goes on.' }),
    ),
    reason: Type.Optional(
      Type.Union([Type.String({ maxLength: 2000 }), Type.Null()], {
        description: 'Why it is blocked. Callers who push are told.',
      }),
    ),
    unknown: Type.Optional(UnknownRule),
    add_fields: Type.Optional(
      Type.Array(NewField, { description: 'Fields to add. Rows that were stored before have null in them.' }),
    ),
  },
  { additionalProperties: false, description: 'What to change of an ingest.' },
)
export type ChangeIngest = Type.Static<typeof ChangeIngest>

/** A field as answers show it. */
const ShownField = Type.Object(
  {
    ...Type.Required(NewField).properties,
    added: Type.Optional(
      Type.Literal('by_row', { description: 'It came by itself: a row brought it, where `unknown` is `add`.' }),
    ),
  },
  { additionalProperties: false },
)

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const IngestAnswer = Type.Object(
  {
    alias: Type.String(),
    kind: Type.Enum([...kinds]),
    entity: Type.Optional(Type.String({ description: 'The entity that a series ingest feeds.' })),
    fields: Type.Array(ShownField),
    duplicates: Type.Optional(Type.Enum([...duplicateRules])),
    unknown: Type.Optional(UnknownRule),
    lines: Type.Optional(Type.Union([Lines, Type.Null()])),
    state: Type.Enum([...states]),
    reason: Type.Union([Type.String(), Type.Null()]),
    created: Type.String({ format: 'date-time' }),
    counters: Type.Object(
      {
        received: count('Rows that were acknowledged.'),
        stored: count('Rows that were stored.'),
        rejected: count('Rows that were rejected.'),
        pending: count('Rows that are not judged yet.'),
      },
      { description: '`received = stored + rejected + pending`.' },
    ),
    waits_for_slots_since: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          "On a cluster, while its entity has rows and no slots of Druid's indexers. The rows are kept, and can be queried when other entities give slots back or there are more.",
      }),
    ),
  },
  { description: 'An ingest: its definition, its state, and what became of the rows pushed to it.' },
)
export type IngestAnswer = Type.Static<typeof IngestAnswer>

export const IngestPage = pageSchema(IngestAnswer)
