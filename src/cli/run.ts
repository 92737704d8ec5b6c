import { type Command, CommanderError } from 'commander'
import { ConnectionError, ServiceError } from '../client/service-error.ts'
import { readSettings } from '../config/read-settings.ts'
import { readZoneFiles, timeZonesOf } from '../druid-time/zone-folder.ts'
import { CsvError } from '../lib/csv-parser.ts'
import { messageOf } from '../lib/message-of.ts'
import { packageVersion } from '../lib/own-package.ts'
import { SettingsError } from '../model/settings-error.ts'
import { CommandError, UsageError } from './command-error.ts'
import type { CliContext } from './context.ts'
import { inOptions } from './option-names.ts'
import { printNote, unreachableText } from './output.ts'
import { buildProgram } from './program.ts'

/** The command line or the settings are wrong (sysexits.h, EX_USAGE). */
const usageExitCode = 64

/** What went wrong and what to do, in one or two sentences. A forbidden command without a key gets a hint to give one. */
function explain(error: unknown, hasKey: boolean): string {
  if (error instanceof ServiceError) {
    const hint =
      error.code === 'forbidden' && !hasKey
        ? ' Give a key with --key or TIDEMARK_KEY. "tidemark keys create --help" shows how to create one.'
        : ''
    return `${error.detail} (${error.status} ${error.code})${hint}`
  }
  if (error instanceof ConnectionError && error.unreachable) return unreachableText(error)
  if (error instanceof CommandError || error instanceof ConnectionError || error instanceof CsvError)
    return error.message
  const message = messageOf(error)
  // A whole sentence says what to do; other messages come from the system, or are a bug.
  return /[.?!]$/.test(message) ? message : `${message} (--debug shows where)`
}

/** A hint to `--mine`, for keys that are not an operator's. */
function ownHint(error: unknown, command: Command): string {
  const isForbidden = error instanceof ServiceError && error.code === 'forbidden'
  const couldBeOwn = command.options.some(({ long }) => long === '--mine') && command.opts()['mine'] !== true
  return isForbidden && couldBeOwn ? ' With --mine the command uses only rows that your own key pushed.' : ''
}

function showsKey(argv: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  return argv.some((word) => /^--key(=|$)/.test(word)) || (environment['TIDEMARK_KEY'] ?? '').trim() !== ''
}

/** Runs one command line (without the program's name) and resolves with the exit code. */
export async function run(argv: readonly string[], world: Omit<CliContext, 'exitWith'>): Promise<number> {
  let exitCode = 0
  const context: CliContext = { ...world, exitWith: (code) => (exitCode = code) }
  const program = buildProgram(context)
  let running = program
  program.hook('preAction', (_, action) => {
    running = action
  })
  try {
    if (argv.length === 2 && argv.includes('--version') && argv.includes('--verbose'))
      return await printVersions(context)
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode
    const hasKey = showsKey(argv, context.environment)
    const message = () => explain(inOptions(error, running), hasKey) + (hasKey ? ownHint(error, running) : '')
    const lines = error instanceof SettingsError ? error.sentences : [message()]
    for (const line of lines) printNote(context, line)
    if (argv.includes('--debug') && error instanceof Error) context.stderr.write(`${error.stack ?? ''}\n`)
    return error instanceof UsageError || error instanceof SettingsError ? usageExitCode : 1
  }
}

/** `tidemark --version --verbose`: the versions that a service started here would use. Resolves with the exit code. */
async function printVersions({ environment, stdout }: CliContext): Promise<number> {
  const { server } = await readSettings({}, environment)
  const { version, source } = timeZonesOf(await readZoneFiles(server.timeZones))
  stdout.write(`tidemark ${packageVersion}\nnode ${process.versions.node}\ntime zones ${version} (${source})\n`)
  return 0
}
