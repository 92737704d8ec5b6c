import type { LiveFeed } from '../../live/live-feed.ts'
import type { Upkeep } from '../../store/embedded/upkeep/upkeep.ts'
import type { FromStore, ToStore } from '../protocol.ts'
import { sentError } from '../sent-error.ts'
import type { CatalogChanges } from './catalog-changes.ts'
import type { Requests } from './store-requests.ts'

export interface TakerParts {
  readonly send: (message: FromStore) => void
  readonly requests: Requests
  readonly follower: { durable(position: number): void; stop(): void }
  readonly removals: { hold(): Promise<void>; release(): void }
  readonly changes: CatalogChanges
  readonly live: Pick<LiveFeed, 'follow' | 'unfollow' | 'wait' | 'moved'>
  readonly upkeep: Pick<Upkeep, 'purge' | 'delete' | 'takeBack'>
  /** The position up to which rows are validated. */
  readonly position: () => number
  /** The position up to which rows are validated after the current step. */
  readonly stepPosition: () => number
  /** Called when the main thread knows the fields that rows have added. */
  readonly fieldsKnown: () => void
  /** Ends all waiting, except for the last seal, which may take this long. */
  readonly stop: (sealMs: number) => void
}

/** Passes each message of the main thread to the part that handles it. */
export function dispatcherOf(parts: TakerParts): (message: ToStore) => void {
  const { send, requests, follower, removals, changes, live, fieldsKnown, stop } = parts
  const answer = (id: number, work: Promise<FromStore>): void => {
    work.then(send, (error: unknown) => send({ kind: 'failed', id, error: sentError(error) }))
  }
  return (message) => {
    switch (message.kind) {
      case 'durable':
        return follower.durable(message.position)
      case 'hold':
      case 'purge':
        return answer(message.id, done(message, parts))
      case 'delete':
      case 'takeBack': {
        // Readers then receive the change, and the rows that were held back meanwhile.
        const change = done(message, parts).finally(() => live.moved())
        return answer(message.id, change)
      }
      case 'release':
        return removals.release()
      case 'fieldsKnown':
        return fieldsKnown()
      case 'changed':
        return void changes.learn()
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
        return requests.take(message)
    }
  }
}

type Order = Extract<ToStore, { kind: 'hold' | 'purge' | 'delete' | 'takeBack' }>

/** Carries out the order and returns its result. */
async function done(
  order: Order,
  { removals, changes, upkeep, position, stepPosition }: TakerParts,
): Promise<FromStore> {
  const { id } = order
  switch (order.kind) {
    case 'hold':
      await removals.hold()
      return { kind: 'held', id }
    case 'purge':
      // The expired rows must be known before they are searched for.
      await changes.learn()
      await upkeep.purge(order.entityId, position(), order.waitMs)
      return { kind: 'purged', id }
    case 'delete':
      return { kind: 'deleted', id, outcome: await upkeep.delete(order.request, stepPosition()) }
    case 'takeBack':
      return { kind: 'takenBack', id, isDone: await upkeep.takeBack(order.request, position()) }
  }
}
