import type { LiveFeed } from '../../live/live-feed.ts'
import type { Upkeep } from '../../store/embedded/upkeep/upkeep.ts'
import type { FromStore, ToStore } from '../protocol.ts'
import { sentError } from '../sent-error.ts'
import type { Asks } from './asks.ts'
import type { CatalogChanges } from './catalog-changes.ts'

export interface TakerParts {
  readonly send: (message: FromStore) => void
  readonly asks: Asks
  readonly follower: { durable(position: number): void; stop(): void }
  readonly removals: { hold(): Promise<void>; release(): void }
  readonly changes: CatalogChanges
  readonly live: Pick<LiveFeed, 'follow' | 'unfollow' | 'wait' | 'moved'>
  readonly upkeep: Pick<Upkeep, 'purge' | 'delete' | 'takeBack'>
  /** How far the rows are validated. */
  readonly position: () => number
  /** How far they will be when what is being validated is. */
  readonly stepPosition: () => number
  /** The main thread knows the fields that rows brought. */
  readonly fieldsKnown: () => void
  /** Nothing more is waited for but the last seal, for so long. */
  readonly stop: (sealMs: number) => void
}

/** Gives each message of the main thread to the part that it is for. */
export function takerOf(parts: TakerParts): (message: ToStore) => void {
  const { send, asks, follower, removals, changes, live, upkeep, position, stepPosition, fieldsKnown, stop } = parts
  const answer = (id: number, work: Promise<FromStore>): void => {
    work.then(send, (error: unknown) => send({ kind: 'failed', id, error: sentError(error) }))
  }
  /** Readers are told of it, and what was held back meanwhile. */
  const answerChange = (id: number, work: Promise<FromStore>): void =>
    answer(
      id,
      work.finally(() => live.moved()),
    )
  /** What has left is to be known before it is looked for. */
  const purge = async (entityId: number, waitMs: number): Promise<void> => {
    await changes.learn()
    await upkeep.purge(entityId, position(), waitMs)
  }
  return (message) => {
    switch (message.kind) {
      case 'durable':
        return follower.durable(message.position)
      case 'hold':
        return answer(
          message.id,
          removals.hold().then(() => ({ kind: 'held', id: message.id })),
        )
      case 'release':
        return removals.release()
      case 'fieldsKnown':
        return fieldsKnown()
      case 'changed':
        return void changes.learn()
      case 'purge':
        return answer(
          message.id,
          purge(message.entityId, message.waitMs).then(() => ({ kind: 'purged', id: message.id })),
        )
      case 'delete':
        return answerChange(
          message.id,
          upkeep
            .delete(message.request, stepPosition())
            .then((outcome) => ({ kind: 'deleted', id: message.id, outcome })),
        )
      case 'takeBack':
        return answerChange(
          message.id,
          upkeep
            .takeBack(message.request, position())
            .then((isDone) => ({ kind: 'takenBack', id: message.id, isDone })),
        )
      case 'follow':
        return live.follow(message.follower, message.question, message.from)
      case 'unfollow':
        return live.unfollow(message.follower)
      case 'wait':
        return live.wait(message.follower, message.waits)
      case 'close':
        stop(message.sealMs)
        return follower.stop()
      default:
        return asks.take(message)
    }
  }
}
