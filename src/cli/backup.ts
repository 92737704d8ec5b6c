import type { Command } from 'commander'
import { type CliContext, connect } from './context.ts'
import { type JsonOption, printJson } from './output.ts'

const examples = `
Examples:
  tidemark backup
  tidemark restore data/backups/tidemark-20260101T120000.000Z --data ./restored

The service makes the backup while it runs, in a folder on its own machine (backup.directory). On the same disk it links
files that never change and does not copy them: copy the folder to another disk, with any tool, to be safe from the loss
of this one.
`

/** `tidemark backup`: a copy of a running service, with an admin key. */
export function addBackup(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('make a backup of the running service (needs an admin key)')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (options: JsonOption, command: Command) => {
      const made = await connect(context, command.optsWithGlobals()).makeBackup()
      if (options.json) return printJson(context, made)
      context.stdout.write(`path   ${made.path}\nbytes  ${made.bytes}\n`)
    })
}
