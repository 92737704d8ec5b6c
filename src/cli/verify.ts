import type { Command } from 'commander'
import { readSettings } from '../config/read-settings.ts'
import { shellWord } from '../lib/shell-word.ts'
import { UsageError } from './command-error.ts'
import type { CliContext } from './context.ts'
import { printNote } from './output.ts'
import { type PlaceOptions, replicaLocation, withPlace } from './restore.ts'

const examples = `
Examples:
  tidemark verify --data ./data
  tidemark verify --config tidemark.json
  tidemark verify file:///mnt/disk/tidemark
  tidemark verify s3://bucket/tidemark --region eu-central-1

Stop the service first, unless you check a replica. The command changes nothing. It names each damaged part and then exits with 1.
`

interface VerifyOptions extends PlaceOptions {
  readonly config?: string
  readonly data?: string
}

/** `tidemark verify`: checks the data folder of a stopped service, or a replica. */
export function addVerify(program: Command, context: CliContext): void {
  const command = program
    .command('verify [replica]')
    .description('check the whole data folder of a stopped service, or a replica')
    .option('--data <folder>', 'the data folder (TIDEMARK_DATA; default ./data)')
    .option('--config <file>', 'a JSON file of settings')
  withPlace(command)
    .addHelpText('after', examples)
    .action(async (replica: string | undefined, { endpoint, region, ...flags }: VerifyOptions) => {
      const findings =
        replica === undefined ? await ofFolder(flags, context) : await ofReplica(replica, { endpoint, region }, context)
      let damages = 0
      for await (const { part, isDamaged, isSkipped = false, found } of findings) {
        if (isDamaged) damages++
        context.stdout.write(`${isDamaged ? 'DAMAGED' : isSkipped ? 'skipped' : 'ok     '}  ${part}: ${found}\n`)
      }
      if (damages === 0) return
      const advice = replica === undefined ? 'Restore a backup' : 'Start the service with a new prefix in replica.url'
      printNote(context, `${damages} of them ${damages === 1 ? 'is' : 'are'} damaged. ${advice}.`)
      context.exitWith(1)
    })
}

async function ofFolder(flags: { readonly config?: string; readonly data?: string }, context: CliContext) {
  const settings = await readSettings(flags, context.environment)
  // Loaded here, so that other commands start without loading the service.
  const { verifyData } = await import('../service/verify-data.ts')
  return verifyData(settings)
}

async function ofReplica(url: string, options: PlaceOptions, context: CliContext) {
  if (!/^[a-z0-9]+:\/\//.test(url)) {
    throw new UsageError(
      `"${url}" is not the address of a replica, such as file:///... or s3://.... To check a data folder give --data ${shellWord(url)}.`,
    )
  }
  const { verifyReplicaAt } = await import('../service/replicas.ts')
  const failed = (message: string): void => {
    printNote(context, `${message}. Retrying.`)
  }
  return verifyReplicaAt(replicaLocation(url, options, context), { failed })
}
