import type { Command } from 'commander'
import { nodeDisk } from '../lib/node-disk.ts'
import type { CliContext } from './context.ts'

const examples = `
Example:
  tidemark restore backups/tidemark-20260101T120000.000Z --data ./restored
  tidemark serve --data ./restored
`

/** `tidemark restore`: a data folder of a backup; no service is asked. */
export function addRestore(program: Command, context: CliContext): void {
  program
    .command('restore <backup>')
    .description('create a data folder from a backup')
    .requiredOption('--data <folder>', 'the folder to create; it must be empty or not exist')
    .addHelpText('after', examples)
    .action(async (backup: string, { data }: { readonly data: string }) => {
      // Loaded here, so that the other commands start without it.
      const { restoreBackup } = await import('../admin/restore.ts')
      const contents = await restoreBackup({ backup, data }, { disk: nodeDisk, reach: () => undefined })
      const bytes = contents.files.reduce((sum, file) => sum + file.bytes, 0)
      context.stdout.write(
        `${data} holds the backup of ${contents.made}: ${contents.files.length} files, ${bytes} bytes.\n`,
      )
    })
}
