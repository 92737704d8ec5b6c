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
  return (event) => logEvent(logger, slowMs, event)
}

function stream(format: LogOptions['format'], destination: LogOptions['destination']): DestinationStream {
  const isPretty = format === 'pretty' || (format === 'auto' && destination.isTTY === true)
  return isPretty ? pretty({ destination, colorize: destination.isTTY === true, sync: true }) : destination
}

function logEvent(logger: Logger, slowMs: number, event: ServiceEvent): void {
  const { kind, ...fields } = event
  switch (event.kind) {
    case 'requestServed':
      logger[event.ms >= slowMs ? 'info' : 'debug'](fields, event.ms >= slowMs ? 'slow request' : 'request')
      return
    case 'requestFailed':
      logger.error({ ...fields, error: undefined, ...errorFields(event.error) }, 'request failed')
      return
    case 'journalWritten':
    case 'rowsJudged':
    case 'queryAnswered':
    case 'journalTrimmed':
      logger.debug(fields, words(kind))
      return
    case 'journalOpened':
      logger[event.tornBytes > 0 ? 'warn' : 'info'](fields, words(kind))
      return
    case 'journalFailed':
    case 'journalAway':
    case 'partAway':
    case 'journalGap':
    case 'laneFailed':
    case 'storeDied':
    case 'sqlEngineDied':
    case 'sealFailed':
    case 'compactFailed':
    case 'dropFailed':
    case 'removalFailed':
    case 'fileDamaged':
    case 'journalTrimFailed':
    case 'checkFailed':
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
