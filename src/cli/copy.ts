import type { Command } from 'commander'
import type { EntityDescription } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { printable } from '../lib/text-table.ts'
import { earliestMs, formatInstant, latestMs } from '../model/instant.ts'
import { UsageError } from './command-error.ts'
import { type CliContext, type ConnectionOptions, connect } from './context.ts'
import {
  blockIngests,
  type CopyRoute,
  makeDefinitions,
  planDefinitions,
  readDefinitions,
  unblockIngests,
} from './copy/copy-definitions.ts'
import { type CopiedOne, copyOne } from './copy/copy-one.ts'
import { type CopiedSubscribers, copySubscribers, requireAdmin, requirePushing } from './copy/copy-subscribers.ts'
import type { CopyJob } from './copy/sending.ts'
import { dateOption } from './copy/series.ts'
import { collectList, parseCount } from './option-values.ts'
import { type ItemColumn, type JsonOption, printItems, printJson, printNote } from './output.ts'

interface CopyOptions extends JsonOption, ConnectionOptions {
  readonly sourceKey?: string
  readonly entity?: readonly string[]
  readonly from?: string
  readonly to?: string
  readonly definitionsOnly?: boolean
  readonly concurrency: number
}

interface CopyReport {
  readonly created: readonly string[]
  readonly used: readonly string[]
  /** Null if only some entities were selected: subscribers are copied only with the whole service. */
  readonly subscribers: CopiedSubscribers | null
  readonly copied: readonly CopiedOne[]
  readonly seconds: number
}

const help = `
Copies from the service at <source-url> to the one at --url, over HTTP: for example from a data folder to a cluster. It copies
ingests with their fields and states, retentions, subscribers with their subscriptions (unless --entity is given), rows, and
metadata items. It does not copy keys (a service has only their hashes), rejected rows, receipts and counters.

Keys: --source-key is an admin key of the source. --key is a key of the target with the rights admin and ingest, and a
subscription to the copied ingests:
  tidemark subscribers create copier
  tidemark subscriptions set copier --ingest '*'
  tidemark keys create copier --rights admin,ingest

Existing definitions at the target must agree with the source; otherwise the command names the difference and copies nothing.
If a copy is interrupted, run the same command again, with the same source address and target key: within 24 hours no row is
stored twice. Stop pushes to the source first, or rows may be missed. At the end the command compares both services.

Exit codes: 0 the target has all data; 1 failure or difference; 64 wrong usage.

Examples:
  tidemark copy http://old:8080 --url http://cluster:8080 --definitions-only
  tidemark copy http://old:8080 --url http://cluster:8080
  tidemark copy http://old:8080 --url http://cluster:8080 --entity plant --from 2026-01-01 --to 2026-02-01
`

const columns: readonly ItemColumn<CopiedOne>[] = [
  { title: 'entity', cell: ({ name }) => name },
  { title: 'ingest', cell: ({ ingest }) => ingest },
  { title: 'copied', align: 'right', cell: ({ copied }) => copied },
  { title: 'rejected', align: 'right', cell: ({ rejected }) => rejected },
  { title: 'source', align: 'right', cell: ({ sourceAfter }) => sourceAfter },
  { title: 'target', align: 'right', cell: ({ targetAfter }) => targetAfter },
  { title: '', cell: ({ unit }) => unit },
]

function printReport(context: CliContext, options: CopyOptions, report: CopyReport): void {
  const { created, used, subscribers, copied, seconds } = report
  if (options.json) {
    printJson(context, report)
    return
  }
  const say = (line: string) => context.stdout.write(`${printable(line)}\n`)
  const names = (list: readonly string[]) => (list.length === 0 ? 'none' : list.join(', '))
  say(`ingests created: ${names(created)}; already there: ${names(used)}`)
  if (subscribers !== null) say(`subscribers created: ${names(subscribers.created)}`)
  if (!options.definitionsOnly) {
    printItems(context, {}, { items: copied, columns, none: 'There are no rows and no items to copy.' })
    say(`in ${seconds.toFixed(1)} s`)
  }
  for (const { name, notes } of copied) for (const note of notes) say(`${name}: ${note}.`)
  if (subscribers === null) return
  for (const name of subscribers.differing)
    say(`${name}: its subscriptions at the target differ, and were not changed.`)
  if (subscribers.needKeys.length > 0) say('Keys cannot be copied. These subscribers need new ones at the target:')
  for (const { subscriber, rights } of subscribers.needKeys) {
    say(`  tidemark keys create ${subscriber} --rights ${rights.join(',')}`)
  }
}

function jobOf(context: CliContext, sourceUrl: string, options: CopyOptions): CopyJob {
  const key = options.sourceKey ?? context.environment['TIDEMARK_SOURCE_KEY']
  // The address and the key in the environment are those of the target.
  const source = connect({ ...context, environment: {} }, { url: sourceUrl, ...(key === undefined ? {} : { key }) })
  const target = connect(context, options)
  if (source.url === target.url) throw new UsageError(`Source and target are the same service, ${source.url}.`)
  return { context, source, target, concurrency: options.concurrency }
}

async function runCopy(context: CliContext, sourceUrl: string, options: CopyOptions): Promise<void> {
  const dates = { fromMs: dateOption('--from', options.from), toMs: dateOption('--to', options.to) }
  const job = jobOf(context, sourceUrl, options)
  const { source, target } = job
  const startMs = context.nowMs()
  await requireAdmin(source, 'source')
  await requireAdmin(target, 'target')
  const plan = planDefinitions(await readDefinitions(source), await readDefinitions(target), options.entity ?? [])
  if (!options.definitionsOnly) {
    await requirePushing(target, plan.routes)
    for (const sentence of await rowsWithoutTags(source, plan.routes)) context.stderr.write(`${printable(sentence)}\n`)
  }
  await makeDefinitions(target, plan)
  const subscribers = options.entity === undefined ? await copySubscribers(source, target) : null
  const copied: CopiedOne[] = []
  try {
    if (!options.definitionsOnly) await unblockIngests(target, plan)
    for (const route of options.definitionsOnly ? [] : plan.routes) copied.push(await copyOne(job, route, dates))
  } finally {
    await blockIngests(target, plan)
  }
  const created = plan.create.map(({ alias }) => alias)
  printReport(context, options, {
    created,
    used: plan.use,
    subscribers,
    copied,
    seconds: (context.nowMs() - startMs) / 1000,
  })
  for (const { name, problems } of copied) {
    for (const problem of problems) printNote(context, `${name}: ${problem}.`)
    if (problems.length > 0) context.exitWith(1)
  }
}

/** `tidemark copy`: copies the data of one service into another, over HTTP. */
export function addCopy(program: Command, context: CliContext): void {
  program
    .command('copy <source-url>')
    .description('copy all data of another service into the one at --url (needs admin keys of both)')
    .option('--source-key <key>', 'an admin key of the source (TIDEMARK_SOURCE_KEY)')
    .option('--entity <names>', 'only these entities and tables of metadata; may be repeated', collectList)
    .option('--from <date>', 'only rows of this date and later, ISO 8601')
    .option('--to <date>', 'only rows before this date, ISO 8601')
    .option('--definitions-only', 'no rows and no items')
    .option('--concurrency <count>', 'how many pushes are in flight', parseCount, 4)
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', help)
    .action((sourceUrl: string, _options: CopyOptions, command: Command) =>
      runCopy(context, sourceUrl, command.optsWithGlobals()),
    )
}

// Rows that are older than a tag of their entity. The source shows them with null in it, but no ingest accepts a row without a tag.

/** The rows that a copy cannot transfer, as one sentence per entity and tag. */
async function rowsWithoutTags(source: TidemarkClient, routes: readonly CopyRoute[]): Promise<readonly string[]> {
  const copied = new Set(routes.filter(({ kind }) => kind === 'series').map(({ name }) => name))
  const said: string[] = []
  for (const entity of await source.entities()) {
    if (!copied.has(entity.entity) || entity.rows === 0) continue
    for (const tag of tagsOf(entity)) {
      const { n, last } = await countWithout(source, entity.entity, tag)
      if (n > 0)
        said.push(
          `${entity.entity}: ${n} rows have no ${tag}, the last of them at ${last}: they are older than this tag. The target will reject them (missing_tag); ` +
            `Rows of "tidemark query select" can be pushed there with one ("tidemark push --set ${tag}=...").`,
        )
    }
  }
  return said
}

/** An entity with a single tag has had it from the beginning. */
function tagsOf({ fields }: EntityDescription): readonly string[] {
  const tags = fields.filter(({ role }) => role === 'tag').map(({ name }) => name)
  return tags.length > 1 ? tags : []
}

async function countWithout(source: TidemarkClient, entity: string, tag: string): Promise<{ n: number; last: string }> {
  const query = {
    queryType: 'timeseries',
    dataSource: entity,
    intervals: [`${formatInstant(earliestMs)}/${formatInstant(latestMs)}`],
    granularity: 'all',
    filter: { type: 'selector', dimension: tag, value: null },
    aggregations: [
      { type: 'count', name: 'n' },
      { type: 'longMax', name: 'last', fieldName: '__time' },
    ],
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of source.nativeBytes('timeseries', JSON.stringify(query))) chunks.push(chunk)
  const [counted] = JSON.parse(Buffer.concat(chunks).toString()) as { result: { n: number; last: number | null } }[]
  const { n = 0, last = null } = counted?.result ?? {}
  return { n, last: last === null ? '' : formatInstant(last) }
}
