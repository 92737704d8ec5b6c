import type { Command } from 'commander'
import { readSettings } from '../config/read-settings.ts'
import type { CliContext } from './context.ts'

const examples = `
Example:
  tidemark accept-loss --data ./data

Use it if the service refuses to start because journal files are missing, and you have neither a copy of them nor a
backup. Pushes in these files that were not stored yet are lost; their senders must send them again. Stop the
service first. If nothing is missing, the command changes nothing.
`

/** `tidemark accept-loss`: lets the service start without pushes that are lost. */
export function addAcceptLoss(program: Command, context: CliContext): void {
  program
    .command('accept-loss')
    .description('let the service start without acknowledged pushes that the journal has lost')
    .option('--data <folder>', 'the data folder (TIDEMARK_DATA; default ./data)')
    .option('--config <file>', 'a JSON file of settings')
    .addHelpText('after', examples)
    .action(async (flags: { readonly config?: string; readonly data?: string }) => {
      const settings = await readSettings(flags, context.environment)
      // Loaded here, so that other commands start without loading the service.
      const { acceptLoss } = await import('../service/accept-loss.ts')
      const loss = await acceptLoss(settings, context.nowMs)
      const said =
        loss === null
          ? 'No row is missing'
          : `Given up: pushed rows from position ${loss.from} to ${loss.until} that were not stored yet, ${loss.until - loss.from} at most`
      context.stdout.write(`${said}. Start the service again.\n`)
    })
}
