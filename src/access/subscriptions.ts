import { Type } from 'typebox'
import type { Subscription } from '../catalog/catalog.ts'
import { formatInstant } from '../model/instant.ts'
import { rightNames } from '../model/right.ts'

const OptionalInstant = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])

export const OwnSubscriptionAnswer = Type.Object(
  {
    subscriber: Type.String({ description: 'The name of the subscriber that the key belongs to.' }),
    rights: Type.Array(Type.Enum([...rightNames]), { description: 'What the key may be used for.' }),
    subscriptions: Type.Array(
      Type.Object({
        ingest: Type.Optional(
          Type.String({ description: 'The alias of the ingest that may be pushed to; "*" means every one.' }),
        ),
        entity: Type.Optional(
          Type.String({ description: 'The entity or metadata entity that may be read; "*" means every one.' }),
        ),
        from: OptionalInstant,
        until: OptionalInstant,
        suspended: Type.Boolean(),
        valid: Type.Boolean({
          description: 'Whether it is valid now: it has begun, is not over and is not suspended.',
        }),
      }),
    ),
  },
  { description: 'Who the key belongs to and what it gives access to.' },
)
export type OwnSubscriptionAnswer = Type.Static<typeof OwnSubscriptionAnswer>

export function isValid({ fromMs, untilMs, suspended }: Subscription, nowMs: number): boolean {
  return !suspended && (fromMs === null || fromMs <= nowMs) && (untilMs === null || nowMs < untilMs)
}

/** Whether it is valid, or has ended. */
export function wasValid(subscription: Subscription, nowMs: number): boolean {
  return isValid({ ...subscription, untilMs: null }, nowMs)
}

export function subscriptionEntry(
  subscription: Subscription,
  nowMs: number,
): OwnSubscriptionAnswer['subscriptions'][number] {
  const { ingest, entity, fromMs, untilMs, suspended } = subscription
  return {
    ...(ingest === null ? {} : { ingest }),
    ...(entity === null ? {} : { entity }),
    from: fromMs === null ? null : formatInstant(fromMs),
    until: untilMs === null ? null : formatInstant(untilMs),
    suspended,
    valid: isValid(subscription, nowMs),
  }
}
