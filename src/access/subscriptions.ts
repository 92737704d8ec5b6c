import { Type } from 'typebox'
import type { Subscription } from '../catalog/catalog.ts'
import { instantOrNull } from '../model/instant.ts'
import { rightNames } from '../model/right.ts'

const OptionalInstant = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])

export const OwnSubscriptionAnswer = Type.Object(
  {
    subscriber: Type.String({ description: 'The name of the subscriber that the key belongs to.' }),
    rights: Type.Array(Type.Enum([...rightNames]), { description: 'The rights of the key.' }),
    subscriptions: Type.Array(
      Type.Object({
        ingest: Type.Optional(
          Type.String({ description: 'The alias of an ingest to push to; "*" means every ingest.' }),
        ),
        entity: Type.Optional(
          Type.String({ description: 'The entity or metadata entity to read; "*" means every one.' }),
        ),
        from: OptionalInstant,
        until: OptionalInstant,
        suspended: Type.Boolean(),
        valid: Type.Boolean({
          description: 'Whether it is valid now: begun, not ended and not suspended.',
        }),
      }),
    ),
  },
  { description: 'The owner of the key and its access.' },
)
export type OwnSubscriptionAnswer = Type.Static<typeof OwnSubscriptionAnswer>

export function isValid({ fromMs, untilMs, suspended }: Subscription, nowMs: number): boolean {
  return !suspended && (fromMs === null || fromMs <= nowMs) && (untilMs === null || nowMs < untilMs)
}

/** Whether it is valid now, or was valid before it ended. */
export function wasValid(subscription: Subscription, nowMs: number): boolean {
  return isValid({ ...subscription, untilMs: null }, nowMs)
}

export function subscriptionAnswer({ ingest, entity, fromMs, untilMs, suspended }: Subscription) {
  return {
    ...(ingest === null ? {} : { ingest }),
    ...(entity === null ? {} : { entity }),
    from: instantOrNull(fromMs),
    until: instantOrNull(untilMs),
    suspended,
  }
}
