import { Type } from 'typebox'
import { fieldTypes, metadataRoles, seriesRoles } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import { instantOrNull } from '../model/instant.ts'
import { qualityCodings } from '../model/quality.ts'
import { orNull, pageSchema } from './list-page.ts'

const nameRule = 'a letter or `_`, then letters, digits, `_`, `.` and `-`; 128 characters at most.'

const NewField = Type.Object(
  {
    name: Type.String({ description: `The name of the field in queries: ${nameRule}` }),
    source: Type.Optional(
      Type.String({ description: 'The property of a pushed row that holds its value; by default its name.' }),
    ),
    type: Type.Enum([...fieldTypes], { description: '`json` is only for attributes of metadata items.' }),
    role: Type.Enum([...seriesRoles, ...metadataRoles], {
      description:
        'A series ingest has one `time` (a timestamp), one or more `tag`s (strings) and `metric`s, `dimension`s, and one `quality` (long or string) at most; ' +
        'a metadata ingest has one `index` and `attribute`s.',
    }),
    coding: Type.Optional(
      Type.Enum([...qualityCodings], {
        description:
          "Of a `quality`: what its numbers mean, the 8 bits of OPC Classic (`opcda`, the default; also Sparkplug's) or the 32 bits of OPC UA (`opcua`).",
      }),
    ),
  },
  { additionalProperties: false },
)

const duplicateRules = ['keep', 'replace'] as const
const states = ['active', 'blocked'] as const
const kinds = ['series', 'metadata'] as const

/** A longer template would name more parts than a line has. */
const templateCharactersMax = 1024

export const Lines = Type.Object(
  {
    tag: Type.String({
      maxLength: templateCharactersMax,
      description:
        'The tag of such a row, from `{measurement}`, `{field}` and tags of the line by their names in `{...}`; a missing part is empty.',
      examples: ['{measurement}.{host}.{field}'],
    }),
  },
  {
    additionalProperties: false,
    description: 'Turns each field of a line protocol line into a row. Without it a line is one row.',
  },
)

export const UnknownRule = Type.Enum(['reject', 'add'], {
  description:
    'With `reject` (the default), a row with an unknown property is rejected; with `add` the property becomes a field. Series only.',
})

export const CreateIngest = Type.Object(
  {
    alias: Type.String({ description: `The name of the ingest: ${nameRule}` }),
    kind: Type.Enum([...kinds]),
    entity: Type.Optional(
      Type.String({ description: 'The entity that a series ingest feeds; by default named like the ingest.' }),
    ),
    fields: Type.Optional(
      Type.Array(NewField, {
        description: 'By default, for a series, `D` (timestamp, time), `T` (string, tag) and `V` (double, metric).',
      }),
    ),
    duplicates: Type.Optional(
      Type.Enum([...duplicateRules], {
        description:
          'With `keep` (the default), all items of the same time and tags stay; with `replace`, a later one replaces the earlier.',
      }),
    ),
    unknown: Type.Optional(UnknownRule),
    lines: Type.Optional(orNull(Lines)),
  },
  { additionalProperties: false, description: 'A new ingest.' },
)
export type CreateIngest = Type.Static<typeof CreateIngest>

export const ChangeIngest = Type.Object(
  {
    state: Type.Optional(
      Type.Enum([...states], { description: 'Pushes to a blocked ingest are refused; its data can still be read.' }),
    ),
    reason: Type.Optional(
      orNull(Type.String({ maxLength: 2000 }), { description: 'The reason of a block. Callers who push see it.' }),
    ),
    unknown: Type.Optional(UnknownRule),
    add_fields: Type.Optional(
      Type.Array(NewField, { description: 'Fields to add. They are null in rows stored before.' }),
    ),
  },
  { additionalProperties: false, description: 'The changes to an ingest.' },
)
export type ChangeIngest = Type.Static<typeof ChangeIngest>

/** A field as shown in responses. */
const ShownField = Type.Object(
  {
    ...Type.Required(NewField).properties,
    coding: NewField.properties.coding,
    added: Type.Optional(Type.Literal('by_row', { description: 'A row added it, because `unknown` is `add`.' })),
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
    lines: Type.Optional(orNull(Lines)),
    state: Type.Enum([...states]),
    reason: orNull(Type.String()),
    created: Type.String({ format: 'date-time' }),
    counters: Type.Object(
      {
        received: count('Rows that were acknowledged.'),
        stored: count('Rows that were stored.'),
        rejected: count('Rows that were rejected.'),
        pending: count('Rows that are not validated yet.'),
      },
      { description: '`received = stored + rejected + pending`.' },
    ),
    waits_for_slots_since: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          "On a cluster: the entity's rows cannot be queried yet because no slots of Druid's indexers are free. They are kept, and read once slots are free.",
      }),
    ),
  },
  { title: 'Ingest', description: 'An ingest: its definition, its state, and the counts of its rows.' },
)
export type IngestAnswer = Type.Static<typeof IngestAnswer>

export const IngestPage = pageSchema(IngestAnswer)

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
    lines: orNull(Lines),
    kept_from: orNull(Type.String({ format: 'date-time' }), {
      description:
        'The entity keeps items from this date on (its retention). An older row is stored, but never shown. Null keeps all.',
    }),
  },
  { description: 'An ingest as its senders see it.' },
)
export type OwnIngestAnswer = Type.Static<typeof OwnIngestAnswer>

/** `sinceMs` is the date from which the entity keeps items; null keeps all. */
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
    kept_from: instantOrNull(sinceMs),
  }
}
