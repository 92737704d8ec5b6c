import { execFile } from 'node:child_process'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../src/cli/run.ts'
import { requireCompiled } from './compiled.ts'
import { inheritedEnvironment } from './inherited-environment.ts'
import { programPath } from './server-process.ts'

export interface CommandResult {
  readonly code: number
  readonly output: string
  readonly errors: string
}

/** Runs `tidemark <words...>` as a user does, in its own process. */
export function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  requireCompiled()
  return new Promise((resolve) => {
    const options = { env: { ...inheritedEnvironment(), ...environment }, maxBuffer: 64 * 1024 * 1024 }
    execFile(process.execPath, [programPath, ...words], options, (error, output, errors) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), output, errors })
    })
  })
}

/** Like `runCommand` but in this process, because a process takes half a second to start: for many commands of one kind. */
export async function runHere(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const written = { output: '', errors: '' }
  const into = (name: keyof typeof written) => ({
    write: (text: string | Uint8Array) => {
      written[name] += typeof text === 'string' ? text : Buffer.from(text).toString()
      return true
    },
    once: () => {},
  })
  const code = await run(words, {
    environment,
    stdin: Readable.from([]),
    stdout: into('output'),
    stderr: into('errors'),
    mainPath: programPath,
    nowMs: Date.now,
    sleep: async (ms, signal) => {
      await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {})
    },
  })
  return { code, ...written }
}
