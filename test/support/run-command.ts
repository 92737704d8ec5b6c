import { execFile } from 'node:child_process'
import { inheritedEnvironment } from './inherited-environment.ts'
import { programPath } from './server-process.ts'

export interface CommandResult {
  readonly code: number
  readonly output: string
  readonly errors: string
}

/** Runs `tidemark <words...>` as a user does, in a process of its own. */
export function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { env: { ...inheritedEnvironment(), ...environment }, maxBuffer: 64 * 1024 * 1024 }
    execFile(process.execPath, [programPath, ...words], options, (error, output, errors) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), output, errors })
    })
  })
}
