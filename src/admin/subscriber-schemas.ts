import { Type } from 'typebox'
import { rightNames } from '../model/right.ts'
import { orNull, pageSchema } from './list-page.ts'

const Instant = Type.String({ format: 'date-time' })
const InstantOrNull = orNull(Instant)
const DateText = orNull(Type.String({ description: 'ISO 8601; without a zone, UTC.' }))

const Rights = Type.Array(Type.Enum([...rightNames]), {
  minItems: 1,
  description:
    'A right of a key: `ingest` to push rows, `consume` to read them, `correct` to delete rows of what it may read, `observe` to monitor the service without seeing rows or keys (`/metrics` and the lists of ingests, entities and faults), `admin` to operate the service.',
})

export const CreateSubscriber = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 128, description: 'Any text without control characters.' }) },
  { additionalProperties: false, description: 'A holder of keys and subscriptions.' },
)
export type CreateSubscriber = Type.Static<typeof CreateSubscriber>

export const SubscriberAnswer = Type.Object(
  {
    name: Type.String(),
    created: Instant,
    keys: Type.Array(Type.Object({ id: Type.String(), rights: Rights, created: Instant, expires: InstantOrNull }), {
      description: 'The keys by their ids; the service does not keep the keys themselves.',
    }),
  },
  { description: 'A subscriber and the keys it holds.' },
)
export type SubscriberAnswer = Type.Static<typeof SubscriberAnswer>

export const SubscriberPage = pageSchema(SubscriberAnswer)

export const CreateKey = Type.Object(
  { rights: Rights, expires: Type.Optional(DateText) },
  { additionalProperties: false, description: 'A new key.' },
)
export type CreateKey = Type.Static<typeof CreateKey>

export const CreatedKey = Type.Object(
  {
    id: Type.String({ description: 'The id to revoke the key with.' }),
    key: Type.String({ description: 'The key itself. This answer is the only one that shows it.' }),
  },
  { description: 'A key that was just made.' },
)
export type CreatedKey = Type.Static<typeof CreatedKey>

const target = (description: string) => Type.Optional(orNull(Type.String({ description })))

export const PutSubscriptions = Type.Array(
  Type.Object(
    {
      ingest: target('The alias of an ingest to push to, or "*" for every ingest. It need not exist yet.'),
      entity: target('An entity or metadata entity to read, or "*" for every one.'),
      from: Type.Optional(DateText),
      until: Type.Optional(DateText),
      suspended: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  { description: 'All subscriptions of the subscriber. They replace the earlier ones.' },
)
export type PutSubscriptions = Type.Static<typeof PutSubscriptions>

const SubscriptionAnswer = Type.Object(
  {
    ingest: Type.Optional(Type.String()),
    entity: Type.Optional(Type.String()),
    from: InstantOrNull,
    until: InstantOrNull,
    suspended: Type.Boolean(),
  },
  { description: 'Valid from `from` on and before `until`, unless suspended.' },
)
export type SubscriptionAnswer = Type.Static<typeof SubscriptionAnswer>

export const SubscriptionPage = pageSchema(SubscriptionAnswer)
