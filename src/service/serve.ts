// The service as a process: settings, the ready line, signals, the exit code.
import { readFile } from 'node:fs/promises'
import { loadSettings, SettingsError } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { logSink } from '../observe/log.ts'
import { letHeapGrow } from './heap-growth.ts'
import { type ServiceOverrides, startService } from './start-service.ts'

export interface ServeOptions {
  /** Settings by their names, and `config`: the path of a file of settings. */
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly overrides?: ServiceOverrides
}

/** Runs the service until SIGTERM or SIGINT. Resolves with the exit code: 0 after an orderly stop, 1 when it could not start. */
export async function serve({ flags, environment, overrides = {} }: ServeOptions): Promise<number> {
  letHeapGrow()
  try {
    const settings = await settingsOf(flags, environment)
    const observe = logSink({ ...settings.log, destination: process.stderr })
    const service = await startService(settings, observe, overrides)
    if (service.newAdminKey !== null) process.stderr.write(`${JSON.stringify({ adminKey: service.newAdminKey })}\n`)
    // Programs wait for this line: it is one line of JSON, and the only thing on standard output.
    process.stdout.write(`${JSON.stringify({ url: service.url })}\n`)
    const stop = await stopAsked()
    observe({ kind: 'serverStopping', signal: stop.signal })
    const startedMs = performance.now()
    await service.close(stop.atOnce)
    observe({ kind: 'serverStopped', ms: performance.now() - startedMs })
    return 0
  } catch (error) {
    process.stderr.write(`${startFailure(error)}\n`)
    return 1
  }
}

async function settingsOf(flags: ServeOptions['flags'], environment: ServeOptions['environment']): Promise<Settings> {
  const { config, ...named } = flags
  const path = config ?? environment['TIDEMARK_CONFIG']
  const file = path === undefined || path === '' ? null : { path, text: await readFile(path, 'utf8') }
  return loadSettings({ flags: named, environment, file })
}

interface Stop {
  readonly signal: string
  /** Aborted by a second signal. */
  readonly atOnce: AbortSignal
}

function stopAsked(): Promise<Stop> {
  const second = new AbortController()
  return new Promise((resolve) => {
    let asked = false
    const onSignal = (signal: string): void => {
      if (asked) second.abort()
      asked = true
      resolve({ signal, atOnce: second.signal })
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}

function startFailure(error: unknown): string {
  if (error instanceof SettingsError) return error.sentences.join('\n')
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE') {
    return `The address is in use (${error.message}). Stop what listens there, or choose another port with --port.`
  }
  return error.message
}
