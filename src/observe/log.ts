import type { DestinationStream, Logger } from 'pino'
import { pino } from 'pino'
import pretty from 'pino-pretty'
import { Problem } from '../model/problem.ts'
import type { Observe, ServiceEvent } from './event.ts'

export interface LogOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  readonly format: 'json' | 'pretty' | 'auto'
  /** Requests that take at least this long are logged even if they succeed. */
  readonly slowMs: number
  /** The output for log lines: standard error, except in tests. */
  readonly destination: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

type Level = 'debug' | 'info' | 'warn' | 'error'

/** The levels of events other than `info`, unless they depend on the event's content. */
const levels: ReadonlyMap<ServiceEvent['kind'], Level> = new Map([
  // Occur with each request.
  ['journalWritten', 'debug'],
  ['pushTaken', 'debug'],
  ['rowsValidated', 'debug'],
  ['queryAnswered', 'debug'],
  ['journalTrimmed', 'debug'],
  // The operator may want to change this.
  ['readingIsPublic', 'warn'],
  ['permissionsTightened', 'warn'],
  ['permissionsTooOpen', 'warn'],
  ['sqlEngineRefused', 'warn'],
  ['diskFilling', 'warn'],
  ['replicaBehind', 'warn'],
  ['timeZonesDiffer', 'warn'],
  // Failures.
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
      return event.unreported === null ? 'debug' : 'warn'
    // Each start validates the journal again: a replay that had been validated before has no effect.
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

/** Logs what matters to an operator: failures, slow requests, starts and stops. Logs every request only at level debug. */
export function logSink({ level, format, slowMs, destination }: LogOptions): Observe {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream(format, destination))
  const isDetailed = logger.isLevelEnabled('debug')
  return (event) => {
    const own = levelOf(event, slowMs)
    // Most events occur with each request, so an event that is not written is not formatted either.
    if (isDetailed || own !== 'debug') logEvent(logger, own, event)
  }
}

function stream(format: LogOptions['format'], destination: LogOptions['destination']): DestinationStream {
  const isPretty = format === 'pretty' || (format === 'auto' && destination.isTTY === true)
  return isPretty ? pretty({ destination, colorize: destination.isTTY === true, sync: true }) : destination
}

/** Rounds to thousandths of a millisecond, precise enough for readers. */
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
    logger.warn({ ip: event.ip, requests: event.unreported }, 'requests with a key that is not known were refused')
  else logger[level](fields, words(kind))
}

/** `storeDied` becomes `store died`. */
function words(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) }
  const cause = error.cause === undefined ? {} : { cause: String(error.cause) }
  if (error instanceof Problem) return { code: error.code, message: error.message, ...cause }
  return { message: error.message, stack: error.stack, ...cause }
}
