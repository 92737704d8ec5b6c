import type { DestinationStream, Logger } from 'pino'
import { pino } from 'pino'
import pretty from 'pino-pretty'
import { Problem } from '../model/problem.ts'
import type { Observe, ServiceEvent } from './event.ts'

export interface LogOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  readonly format: 'json' | 'pretty' | 'auto'
  /** A request that takes as long as this is logged although it went well. */
  readonly slowMs: number
  /** Where the lines go: standard error, but in tests. */
  readonly destination: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

type Level = 'debug' | 'info' | 'warn' | 'error'

/** The levels of events that are not `info`, nor are told by what they hold. */
const levels: ReadonlyMap<ServiceEvent['kind'], Level> = new Map([
  // These come with each request.
  ['journalWritten', 'debug'],
  ['pushTaken', 'debug'],
  ['rowsValidated', 'debug'],
  ['queryAnswered', 'debug'],
  ['journalTrimmed', 'debug'],
  // An operator may want it otherwise.
  ['readingIsPublic', 'warn'],
  ['permissionsTightened', 'warn'],
  ['permissionsTooOpen', 'warn'],
  ['sqlEngineRefused', 'warn'],
  ['diskFilling', 'warn'],
  ['replicaBehind', 'warn'],
  ['timeZonesDiffer', 'warn'],
  // Something fails.
  ['requestFailed', 'error'],
  ['journalFailed', 'error'],
  ['journalAway', 'error'],
  ['partAway', 'error'],
  ['journalGap', 'error'],
  ['partitionFailed', 'error'],
  ['validationEnded', 'error'],
  ['entryQuarantined', 'error'],
  ['startBlocked', 'error'],
  ['storeDied', 'error'],
  ['sqlEngineDied', 'error'],
  ['sealFailed', 'error'],
  ['validationFailed', 'error'],
  ['mergeFailed', 'error'],
  ['dropFailed', 'error'],
  ['removalFailed', 'error'],
  ['fileDamaged', 'error'],
  ['journalTrimFailed', 'error'],
  ['backupFailed', 'error'],
  ['replicaFailed', 'error'],
  ['checkFailed', 'error'],
  ['certificateRefused', 'error'],
])

function levelOf(event: ServiceEvent, slowMs: number): Level {
  switch (event.kind) {
    case 'requestServed':
      return event.ms < slowMs ? 'debug' : 'info'
    case 'keyRefused':
      return event.untold === null ? 'debug' : 'warn'
    // Each start validates what is in the journal again: nothing has come of a replay that was validated before.
    case 'rowsReplayed':
      return event.stored === 0 ? 'debug' : 'info'
    case 'waitingForSlots':
      return event.entities.length > 0 ? 'warn' : 'info'
    case 'certificateLoaded':
      return event.validUntilMs > Date.now() ? 'info' : 'warn'
    case 'journalOpened':
      return event.tornBytes > 0 ? 'warn' : 'info'
    default:
      return levels.get(event.kind) ?? 'info'
  }
}

/** Writes what matters to an operator as lines: failures, slow requests, starts and stops. Single requests only at level debug. */
export function logSink({ level, format, slowMs, destination }: LogOptions): Observe {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream(format, destination))
  const isDetailed = logger.isLevelEnabled('debug')
  return (event) => {
    const own = levelOf(event, slowMs)
    // Most events come with each request: nothing is made of them that is not written.
    if (isDetailed || own !== 'debug') logEvent(logger, own, event)
  }
}

function stream(format: LogOptions['format'], destination: LogOptions['destination']): DestinationStream {
  const isPretty = format === 'pretty' || (format === 'auto' && destination.isTTY === true)
  return isPretty ? pretty({ destination, colorize: destination.isTTY === true, sync: true }) : destination
}

/** Thousandths of a millisecond say all that a person reads. */
function rounded<Fields extends object>(fields: Fields): Fields {
  if (!('ms' in fields) || typeof fields.ms !== 'number') return fields
  return { ...fields, ms: Math.round(fields.ms * 1000) / 1000 }
}

function logEvent(logger: Logger, level: Level, event: ServiceEvent): void {
  const { kind, ...exact } = event
  const fields = rounded(exact)
  if (event.kind === 'requestServed') logger[level](fields, level === 'debug' ? 'request' : 'slow request')
  else if (event.kind === 'requestFailed')
    logger[level]({ ...fields, error: undefined, ...errorFields(event.error) }, words(kind))
  else if (event.kind === 'certificateLoaded')
    logger[level]({ path: event.path, validUntil: new Date(event.validUntilMs).toISOString() }, words(kind))
  else if (event.kind === 'keyRefused' && level === 'warn')
    logger.warn({ ip: event.ip, requests: event.untold }, 'requests with a key that is not known were refused')
  else logger[level](fields, words(kind))
}

/** `storeDied` as `store died`. */
function words(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) }
  const cause = error.cause === undefined ? {} : { cause: String(error.cause) }
  if (error instanceof Problem) return { code: error.code, message: error.message, ...cause }
  return { message: error.message, stack: error.stack, ...cause }
}
