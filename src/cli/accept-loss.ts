import type { Command } from 'commander'
import { readSettings } from '../config/read-settings.ts'
import type { CliContext } from './context.ts'

const examples = `
Example:
  tidemark accept-loss --data ./data

For a data folder whose start is refused because files of its journal are gone, when there is no copy of them and no backup to restore. Pushes that were in them and
not stored yet are lost: their senders have to send them again. Stop the service first. Where nothing is missing, nothing is given up.
`

/** `tidemark accept-loss`: goes on without pushes that are gone. */
export function addAcceptLoss(program: Command, context: CliContext): void {
  program
    .command('accept-loss')
    .description('go on without acknowledged pushes that are gone from the journal')
    .option('--data <folder>', 'the data folder (TIDEMARK_DATA; default ./data)')
    .option('--config <file>', 'a JSON file of settings')
    .addHelpText('after', examples)
    .action(async (flags: { readonly config?: string; readonly data?: string }) => {
      const settings = await readSettings(flags, context.environment)
      // Loaded here, so that the other commands start without the service's parts.
      const { acceptLoss } = await import('../service/accept-loss.ts')
      const loss = await acceptLoss(settings, context.nowMs)
      const said =
        loss === null
          ? 'No row is missing'
          : `Given up: what was pushed from position ${loss.from} to ${loss.until} and not stored yet, ${loss.until - loss.from} rows at most`
      context.stdout.write(`${said}. Start the service again.\n`)
    })
}
