import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import type { TidemarkClient } from '../../client/client.ts'
import { ConnectionError, ServiceError } from '../../client/service-error.ts'
import { printable } from '../../lib/text-table.ts'
import { CommandError } from '../command-error.ts'
import type { CliContext } from '../context.ts'

export interface ServiceOptions {
  readonly host: string
  readonly port: number
  readonly data: string
  readonly adminKey: string
}

const startMsMax = 60_000
const pollMs = 50
const keptLines = 20

/** A port that nobody listens on: the given one, or any for 0. Throws `CommandError` where it is taken. */
export function freePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (cause: NodeJS.ErrnoException) => {
      const what = cause.code === 'EADDRINUSE' ? `Port ${port} is taken` : `Port ${port} cannot be used (${cause.code})`
      reject(new CommandError(`${what}. Choose another one with --port, as in --port ${port + 1}.`, { cause }))
    })
    probe.listen(port, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port))
    })
  })
}

/** The service in a process of its own, so that it runs here as it would anywhere. */
export class ServiceProcess {
  readonly #child: ChildProcess
  readonly #stderr: CliContext['stderr']
  readonly #log: string[] = []
  /** Resolves with how the process ended. */
  readonly ended: Promise<string>

  constructor(context: CliContext, { host, port, data, adminKey }: ServiceOptions) {
    this.#stderr = context.stderr
    const flags = ['serve', '--host', host, '--port', String(port), '--data', data]
    this.#child = spawn(process.execPath, [...process.execArgv, context.mainPath, ...flags], {
      // What it holds is made up, and it listens on a loopback address: whoever tries it reads without a key.
      env: { ...context.environment, TIDEMARK_ADMIN_KEY: adminKey, TIDEMARK_ACCESS_CONSUMPTION: 'public' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // In a process group of its own: Ctrl-C is for the demo, which then ends the service in good order.
      detached: true,
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#keep(text))
    }
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message))
      this.#child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
    })
  }

  /** What the demo ends with when the service `what`, whose last lines are written before it. */
  failure(what: string): CommandError {
    for (const line of this.#log) this.#stderr.write(`${printable(line)}\n`)
    return new CommandError(`The service ${what}. Its last output is above.`)
  }

  /** Asks the service to end in good order; asked twice, it ends at once. */
  stop(): void {
    this.#child.kill('SIGTERM')
  }

  /** Resolves once the service takes traffic. Throws `CommandError`, with what the service said, where it does not come to that. */
  async ready(client: TidemarkClient, { nowMs, sleep }: Pick<CliContext, 'nowMs' | 'sleep'>): Promise<void> {
    const endMs = nowMs() + startMsMax
    let ended: string | null = null
    const watch = this.ended.then((how) => {
      ended = how
    })
    while (nowMs() < endMs && ended === null) {
      try {
        await client.readiness()
        return
      } catch (error) {
        if (!(error instanceof ConnectionError) && !(error instanceof ServiceError)) throw error
      }
      await Promise.race([sleep(pollMs), watch])
    }
    const what = ended === null ? `was not ready after ${startMsMax / 1000} s` : `ended (${ended})`
    throw this.failure(what)
  }

  #keep(text: string): void {
    this.#log.push(...text.split('\n').filter((line) => line !== ''))
    this.#log.splice(0, Math.max(0, this.#log.length - keptLines))
  }
}
