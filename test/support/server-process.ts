import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { requireCompiled } from './compiled.ts'
import { inheritedEnvironment } from './inherited-environment.ts'

/** The compiled program, as a user runs it; npm runs its scripts in the root of the project. */
export const programPath = resolve('dist/main.js')
export const adminKey = 'test-admin-key-0123456789abcdef'
/** Few tests check who may read, so the others read without a key. Many count all rows, so the service records no history of its own. */
export const usualEnvironment = {
  TIDEMARK_ADMIN_KEY: adminKey,
  TIDEMARK_ACCESS_CONSUMPTION: 'public',
  TIDEMARK_SELF_HISTORY_MS: '0',
}

export interface ServerOptions {
  readonly dataDirectory: string
  /** Another script that serves, with a planted bug. */
  readonly program?: string
  readonly environment?: Readonly<Record<string, string>>
  /** A free port by default. */
  readonly port?: string
  /** The Node.js executable; the current one by default. */
  readonly node?: string
  /** Arguments of Node.js itself, for options that the environment cannot set. */
  readonly nodeArguments?: readonly string[]
}

/** A real server in its own process, on a free port. */
export class ServerProcess {
  readonly url: string
  readonly #child: ChildProcess
  readonly #errors: string[]

  private constructor(url: string, child: ChildProcess, errors: string[]) {
    this.url = url
    this.#child = child
    this.#errors = errors
  }

  /** Resolves when the ready line is printed. Rejects with the program's output when it ends before. */
  static start({
    dataDirectory,
    program = programPath,
    environment = {},
    port = '0',
    node = process.execPath,
    nodeArguments = [],
  }: ServerOptions): Promise<ServerProcess> {
    requireCompiled()
    const serve = [...nodeArguments, program, 'serve', '--port', port, '--data', dataDirectory]
    const child = spawn(node, serve, {
      env: { ...inheritedEnvironment(), ...usualEnvironment, TIDEMARK_LOG_FORMAT: 'json', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const errors: string[] = []
    child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
    return new Promise((resolve, reject) => {
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
        const line = output.split('\n').find((candidate) => candidate.includes('"url"'))
        if (line !== undefined) resolve(new ServerProcess((JSON.parse(line) as { url: string }).url, child, errors))
      })
      child.once('close', (code) => reject(new Error(`the server ended with ${code}: ${errors.join('')}`)))
    })
  }

  /** The id of the process. */
  get id(): number {
    return this.#child.pid!
  }

  /** Its standard error output so far. */
  get log(): string {
    return this.#errors.join('')
  }

  /** Resolves when the process has ended, on its own or by a kill. */
  async ended(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'close')
  }

  /** Sends SIGKILL: nothing is finished or flushed. */
  kill(): Promise<number | null> {
    return this.#end('SIGKILL')
  }

  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM')
  }

  #end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return Promise.resolve(this.#child.exitCode)
    return new Promise((resolve) => {
      this.#child.once('close', resolve)
      this.#child.kill(signal)
    })
  }
}
