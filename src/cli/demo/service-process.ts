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

/** A free port: the given one, or any for 0. Throws `CommandError` if it is in use. */
export function freePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (cause: NodeJS.ErrnoException) => {
      const what =
        cause.code === 'EADDRINUSE' ? `Port ${port} is in use` : `Port ${port} cannot be used (${cause.code})`
      reject(new CommandError(`${what}. Choose another one with --port, as in --port ${port + 1}.`, { cause }))
    })
    probe.listen(port, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port))
    })
  })
}

/** The service in a separate process, so that it runs as it would anywhere else. */
export class ServiceProcess {
  readonly #child: ChildProcess
  readonly #stderr: CliContext['stderr']
  readonly #log: string[] = []
  /** Resolves with a description of how the process ended. */
  readonly ended: Promise<string>

  constructor(context: CliContext, { host, port, data, adminKey }: ServiceOptions) {
    this.#stderr = context.stderr
    const flags = ['serve', '--host', host, '--port', String(port), '--data', data]
    this.#child = spawn(process.execPath, [...process.execArgv, context.mainPath, ...flags], {
      // The data is made up, and the service listens on a loopback address, so reading needs no key.
      env: { ...context.environment, TIDEMARK_ADMIN_KEY: adminKey, TIDEMARK_ACCESS_CONSUMPTION: 'public' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // In a process group of its own: Ctrl-C reaches only the demo, which then stops the service in an orderly way.
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

  /** The error that the demo ends with; writes the service's last lines first. `what` completes the sentence "The service ...". */
  failure(what: string): CommandError {
    for (const line of this.#log) this.#stderr.write(`${printable(line)}\n`)
    return new CommandError(`The service ${what}. Its last output is above.`)
  }

  /** Requests an orderly end; the second call ends the service immediately. */
  stop(): void {
    this.#child.kill('SIGTERM')
  }

  /** Resolves when the service accepts traffic. Throws `CommandError`, after writing the service's output, if it does not get ready. */
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
