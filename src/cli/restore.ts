import type { Command } from 'commander'
import { nodeDisk } from '../lib/node-disk.ts'
import { ProgressBar } from '../lib/progress-bar.ts'
import { formatInstant, parseInstant } from '../model/instant.ts'
import { UsageError } from './command-error.ts'
import type { CliContext } from './context.ts'

/** The location of a replica in S3, in addition to its URL. */
export interface PlaceOptions {
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
}

export function withPlace(command: Command): Command {
  return command
    .option('--endpoint <url>', "S3 replica only: the store's address (TIDEMARK_REPLICA_ENDPOINT; default Amazon's)")
    .option('--region <name>', "S3 replica only: the bucket's region (TIDEMARK_REPLICA_REGION, AWS_REGION)")
}

/** Options override the service's settings `replica.endpoint` and `replica.region`. */
export function replicaLocation(url: string, { endpoint, region }: PlaceOptions, { environment }: CliContext) {
  return {
    url,
    endpoint: endpoint ?? environment['TIDEMARK_REPLICA_ENDPOINT'] ?? '',
    region: region ?? environment['TIDEMARK_REPLICA_REGION'] ?? '',
  }
}

const examples = `
Examples:
  tidemark restore backups/tidemark-20260101T120000.000Z --data ./restored
  tidemark restore file:///mnt/disk/tidemark --data ./restored
  tidemark restore file:///mnt/disk/tidemark --data ./restored --at 2026-01-01T12:00:00Z
  tidemark restore s3://bucket/tidemark --region eu-central-1 --data ./restored
  tidemark serve --data ./restored

A replica (the service's setting replica.url) restores to its newest state, or to the state after the last push before --at.
If the command is interrupted, run it again: it continues.
`

interface RestoreOptions extends PlaceOptions {
  readonly data: string
  readonly at?: string
}

/** `tidemark restore`: creates a data folder from a backup or a replica, without a running service. */
export function addRestore(program: Command, context: CliContext): void {
  const command = program
    .command('restore <backup>')
    .description('create a data folder from a backup or from a replica')
    .requiredOption('--data <folder>', 'the folder to create; it must be empty or not exist')
    .option('--at <instant>', 'replica only: the state at this moment (default: the newest)')
  withPlace(command)
    .addHelpText('after', examples)
    .action(async (backup: string, options: RestoreOptions) => {
      if (/^[a-z0-9]+:\/\//.test(backup)) return restoreOfReplica(context, backup, options)
      if (options.at !== undefined)
        throw new UsageError('--at is for a replica: a backup holds the state of one moment. Leave it out.')
      // Loaded here, so that other commands start without it.
      const { restoreBackup } = await import('../admin/restore.ts')
      const { data } = options
      const contents = await restoreBackup({ backup, data }, { disk: nodeDisk, reach: () => undefined })
      const bytes = contents.files.reduce((sum, file) => sum + file.bytes, 0)
      context.stdout.write(
        `${data} holds the backup of ${contents.made}: ${contents.files.length} files, ${bytes} bytes.\n`,
      )
    })
}

async function restoreOfReplica(context: CliContext, url: string, options: RestoreOptions): Promise<void> {
  const { data, at } = options
  const atMs = at === undefined ? null : parseInstant(at)
  if (at !== undefined && atMs === null)
    throw new UsageError(`--at ${at} is not a date. Give one such as 2026-01-01T12:00:00Z.`)
  if (atMs !== null && atMs > context.nowMs())
    context.stderr.write(`--at ${at} is in the future: this restores the newest state that the replica has.\n`)
  const { restoreFromReplica } = await import('../service/replicas.ts')
  const bar = new ProgressBar({ output: context.stderr, nowMs: context.nowMs, total: 100 })
  const progress = {
    reach: () => undefined,
    progress: (done: number, total: number) =>
      bar.update(total === 0 ? 100 : (done / total) * 100, () => `${done} of ${total} bytes`),
    failed: (message: string) => bar.note(`tidemark: ${message}. Retrying.`),
  }
  const { chosen, files, bytes } = await restoreFromReplica(
    { ...replicaLocation(url, options, context), data, atMs },
    progress,
  )
  bar.end()
  const [timeMs, position] = chosen.cut
  context.stdout.write(
    `${data} holds the state up to position ${position}, on disk at ${formatInstant(timeMs)}: ${files} files, ${bytes} bytes, and the journal.\n`,
  )
}
