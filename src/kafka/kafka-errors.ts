// Kafka's errors, classified by what can be done about them.
import { MultipleErrors, ProtocolError } from '@platformatic/kafka'

/** Kafka did not respond in time, or could not be reached. */
export class KafkaUnavailable extends Error {
  /** Whether the request may have been sent: Kafka may then have executed it, or execute it later. */
  readonly mayBeSent: boolean

  constructor(message: string, options: ErrorOptions & { readonly mayBeSent?: boolean } = {}) {
    super(message, options)
    this.name = 'KafkaUnavailable'
    this.mayBeSent = options.mayBeSent ?? false
  }
}

/** Kafka's names of the errors in a response; empty if there was no response. */
export function errorIds(error: unknown): readonly string[] {
  if (error instanceof ProtocolError) return [String(Reflect.get(error, 'apiId'))]
  if (error instanceof MultipleErrors) return error.errors.flatMap(errorIds)
  return []
}

export function hasErrorId(error: unknown, ids: ReadonlySet<string>): boolean {
  return errorIds(error).some((id) => ids.has(id))
}

/** Transient errors: a broker starts, a leader or coordinator moves, an earlier transaction is being ended. */
const passing: ReadonlySet<string> = new Set([
  'CONCURRENT_TRANSACTIONS',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'COORDINATOR_NOT_AVAILABLE',
  'FENCED_LEADER_EPOCH',
  'KAFKA_STORAGE_ERROR',
  'LEADER_NOT_AVAILABLE',
  'NETWORK_EXCEPTION',
  'NOT_CONTROLLER',
  'NOT_COORDINATOR',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'NOT_LEADER_OR_FOLLOWER',
  'OFFSET_NOT_AVAILABLE',
  'REPLICA_NOT_AVAILABLE',
  'REQUEST_TIMED_OUT',
  'THROTTLING_QUOTA_EXCEEDED',
  'UNKNOWN_LEADER_EPOCH',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'UNSTABLE_OFFSET_COMMIT',
])

/** Whether the same request may succeed later. An error without a response is a network failure. */
export function isTransient(error: unknown): boolean {
  if (error instanceof KafkaUnavailable) return true
  const ids = errorIds(error)
  return ids.length > 0 && ids.every((id) => passing.has(id))
}

/**
 * Like `isTransient`, for requests that do harm when Kafka executes them late: false if Kafka may have received the request and has not responded.
 */
export function isPassingAndUndone(error: unknown): boolean {
  return isTransient(error) && !(error instanceof KafkaUnavailable && error.mayBeSent)
}

const outOfRange: ReadonlySet<string> = new Set(['OFFSET_OUT_OF_RANGE'])

/** Whether the requested records no longer exist. */
export function isGone(error: unknown): boolean {
  return hasErrorId(error, outOfRange)
}

const fencing: ReadonlySet<string> = new Set([
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'PRODUCER_FENCED',
])

/** Whether another producer has taken over this one's transactional id. */
export function isFenced(error: unknown): boolean {
  return hasErrorId(error, fencing)
}
