import { type ChildProcess, spawn } from 'node:child_process'
import { inheritedEnvironment } from '../support/inherited-environment.ts'
import { programPath } from '../support/server-process.ts'

export interface ConnectorArguments {
  readonly broker: string
  readonly service: string
  readonly key: string
  readonly more: readonly string[]
  /** Another script to run, with a planted bug. */
  readonly program?: string
}

/** `tidemark mqtt` in a separate process. */
export class ConnectorProcess {
  readonly #child: ChildProcess
  #log = ''

  constructor({ broker, service, key, more, program = programPath }: ConnectorArguments) {
    const given = ['--broker', broker, '--url', service, '--ingest', 'plant', ...more]
    this.#child = spawn(process.execPath, [program, 'mqtt', ...given], {
      env: { ...inheritedEnvironment(), TIDEMARK_KEY: key },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text
    })
  }

  get log(): string {
    return this.#log
  }

  /** Resolves when the connector has logged a line that matches. */
  async says(pattern: RegExp): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      if (pattern.test(this.#log)) return
      if (this.#child.exitCode !== null) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`the connector did not say ${pattern}: ${this.#log}`)
  }

  kill(): Promise<number | null> {
    return this.#end('SIGKILL')
  }

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
