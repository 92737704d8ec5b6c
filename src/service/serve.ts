// The service as a process: settings, the ready line, signals, the exit code.
import { readSettings } from '../config/read-settings.ts'
import { collectGarbage, whenGrown, whenIdle } from '../lib/garbage-collection.ts'
import { messageOf } from '../lib/message-of.ts'
import { SettingsError } from '../model/settings-error.ts'
import { logSink } from '../observe/log.ts'
import { raiseHeapFloor } from '../store-thread/main-side/heap-floor.ts'
import { keepCompiledCode } from './compile-cache.ts'
import { keepYoungSmall, letHeapGrow } from './heap-growth.ts'
import type { ServiceOverrides } from './start-service.ts'

export interface ServeOptions {
  /** Settings by name, and `config`: the path of a settings file. */
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly overrides?: ServiceOverrides
}

/**
 * Runs the service until SIGTERM or SIGINT. Resolves with the exit code: 0 after an orderly stop, 1 when it could not start. Throws
 * `SettingsError` before anything is started.
 */
export async function serve({ flags, environment, overrides = {} }: ServeOptions): Promise<number> {
  const settings = await readSettings(flags, environment)
  try {
    const observe = logSink({ ...settings.log, destination: process.stderr })
    // Code that was compiled under other flags cannot be reused, so the flags of the threads are set first.
    if (settings.small) keepYoungSmall()
    else {
      letHeapGrow()
      raiseHeapFloor()
    }
    await keepCompiledCode(settings.data, process.env)
    // Loaded here, so that its compiled code is cached.
    const { openService } = await import('./start-service.ts')
    const service = await openService(settings, observe, overrides)
    if (service.newAdminKey !== null) {
      process.stderr.write(`${JSON.stringify({ adminKey: service.newAdminKey })}\n`)
      if (process.stderr.isTTY) process.stderr.write(firstSteps(service.url, service.newAdminKey))
    }
    const asked = stopAsked()
    await Promise.race([service.started(), asked])
    collectGarbage(settings.small ? whenGrown : whenIdle)
    // Programs wait for this line: it is one line of JSON, and the only thing on standard output.
    process.stdout.write(`${JSON.stringify({ url: service.url })}\n`)
    const stop = await asked
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
  return messageOf(error)
}

/** The text that a terminal shows below the admin key that the first start created. */
export function firstSteps(url: string, adminKey: string): string {
  return `
This is the admin key. It is not shown again, so keep it. The service has no data yet. In another terminal:

  export TIDEMARK_URL=${url} TIDEMARK_KEY=${adminKey}
  tidemark ingests create plant      creates a target for rows {D, T, V}
  tidemark --help                    lists all commands

${url}/docs describes the interface. "tidemark demo" starts a service with a week of data.

`
}
