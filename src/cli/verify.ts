import type { Command } from 'commander'
import { readSettings } from '../config/read-settings.ts'
import type { CliContext } from './context.ts'

const examples = `
Examples:
  tidemark verify --data ./data
  tidemark verify --config tidemark.json

Stop the service first. The command changes nothing. It names what is damaged and then ends with exit code 1.
`

/** `tidemark verify`: checks the folder of a stopped service. */
export function addVerify(program: Command, context: CliContext): void {
  program
    .command('verify')
    .description('check the whole data folder of a stopped service')
    .option('--data <folder>', 'the data folder (TIDEMARK_DATA; default ./data)')
    .option('--config <file>', 'a JSON file of settings')
    .addHelpText('after', examples)
    .action(async (flags: { readonly config?: string; readonly data?: string }) => {
      const settings = await readSettings(flags, context.environment)
      // Loaded here, so that the other commands start without the service's parts.
      const { verifyData } = await import('../service/verify-data.ts')
      let damages = 0
      for await (const { part, isDamaged, isSkipped = false, found } of verifyData(settings)) {
        if (isDamaged) damages++
        context.stdout.write(`${isDamaged ? 'DAMAGED' : isSkipped ? 'skipped' : 'ok     '}  ${part}: ${found}\n`)
      }
      if (damages === 0) return
      context.stderr.write(`tidemark: ${damages} of them ${damages === 1 ? 'is' : 'are'} damaged. Restore a backup.\n`)
      context.exitWith(1)
    })
}
