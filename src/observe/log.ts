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

/** Writes what matters to an operator as lines: failures, slow requests, starts and stops. Single requests only at level debug. */
export function logSink({ level, format, slowMs, destination }: LogOptions): Observe {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream(format, destination))
  const isDetailed = logger.isLevelEnabled('debug')
  return (event) => {
    // Most events come with each request: nothing is made of them that is not written.
    if (isDetailed || !isDetail(event, slowMs)) logEvent(logger, slowMs, event)
  }
}

/** Whether it is logged at level debug. */
function isDetail(event: ServiceEvent, slowMs: number): boolean {
  switch (event.kind) {
    case 'requestServed':
      return event.ms < slowMs
    case 'journalWritten':
    case 'pushTaken':
    case 'rowsValidated':
    case 'queryAnswered':
    case 'journalTrimmed':
      return true
    case 'keyRefused':
      return event.untold === null
    // Each start validates what is in the journal again: nothing has come of a replay that was validated before.
    case 'rowsReplayed':
      return event.stored === 0
    default:
      return false
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

function logEvent(logger: Logger, slowMs: number, event: ServiceEvent): void {
  const { kind, ...exact } = event
  const fields = rounded(exact)
  if (isDetail(event, slowMs)) {
    logger.debug(fields, kind === 'requestServed' ? 'request' : words(kind))
    return
  }
  switch (event.kind) {
    case 'requestServed':
      logger.info(fields, 'slow request')
      return
    case 'requestFailed':
      logger.error({ ...fields, error: undefined, ...errorFields(event.error) }, 'request failed')
      return
    case 'waitingForSlots':
      logger[event.entities.length > 0 ? 'warn' : 'info'](fields, words(kind))
      return
    case 'certificateLoaded': {
      const validUntil = new Date(event.validUntilMs).toISOString()
      logger[event.validUntilMs > Date.now() ? 'info' : 'warn']({ path: event.path, validUntil }, words(kind))
      return
    }
    case 'journalOpened':
      logger[event.tornBytes > 0 ? 'warn' : 'info'](fields, words(kind))
      return
    case 'keyRefused':
      logger.warn({ ip: event.ip, requests: event.untold }, 'requests with a key that is not known were refused')
      return
    case 'readingIsPublic':
    case 'permissionsTightened':
    case 'permissionsTooOpen':
    case 'sqlEngineRefused':
    case 'diskFilling':
    case 'replicaBehind':
    case 'timeZonesDiffer':
      logger.warn(fields, words(kind))
      return
    case 'journalFailed':
    case 'journalAway':
    case 'partAway':
    case 'journalGap':
    case 'partitionFailed':
    case 'validationEnded':
    case 'entryQuarantined':
    case 'startBlocked':
    case 'storeDied':
    case 'sqlEngineDied':
    case 'sealFailed':
    case 'validationFailed':
    case 'mergeFailed':
    case 'dropFailed':
    case 'removalFailed':
    case 'fileDamaged':
    case 'journalTrimFailed':
    case 'backupFailed':
    case 'replicaFailed':
    case 'checkFailed':
    case 'certificateRefused':
      logger.error(fields, words(kind))
      return
    default:
      logger.info(fields, words(kind))
  }
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
