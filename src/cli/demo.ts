import type { Command } from 'commander'
import { TidemarkClient } from '../client/client.ts'
import { ServiceError } from '../client/service-error.ts'
import type { CliContext } from './context.ts'
import { type DemoFile, openDemoFile, saveDemoFile } from './demo/demo-file.ts'
import {
  type FeedOptions,
  type HistoryResult,
  ingestAlias,
  pushFaulty,
  pushHistory,
  pushLive,
  pushTags,
  tagFields,
  tagsAlias,
} from './demo/feed.ts'
import { freePort, ServiceProcess } from './demo/service-process.ts'
import { demoFolder, demoPort, goOnText, welcomeText } from './demo/welcome.ts'
import { parsePort } from './option-values.ts'
import { formatCount } from './push/report.ts'

interface DemoOptions {
  readonly port: number
  readonly data: string
  readonly once?: boolean
  readonly quiet?: boolean
}

const host = '127.0.0.1'
const subscriber = 'demo'

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'unit', type: 'string', role: 'dimension' },
  { name: 'area', type: 'string', role: 'dimension' },
  { name: 'V', type: 'double', role: 'metric' },
] as const

/** Awaits a creation, and ignores the error that the object exists from an earlier start. */
async function unlessThere(made: Promise<unknown>): Promise<void> {
  await made.catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.status === 409)) throw error
  })
}

/** Creates the ingests, subscriber, subscription and key that are missing; returns the subscriber's key. */
async function prepare(admin: TidemarkClient, folder: string, file: DemoFile): Promise<string> {
  await unlessThere(admin.createIngest({ alias: ingestAlias, kind: 'series', fields }))
  await unlessThere(admin.createIngest({ alias: tagsAlias, kind: 'metadata', fields: tagFields }))
  await unlessThere(admin.createSubscriber(subscriber))
  const aliases = [ingestAlias, tagsAlias]
  await admin.putSubscriptions(
    subscriber,
    aliases.flatMap((alias) => [{ ingest: alias }, { entity: alias }]),
  )
  if (file.key !== null) return file.key
  const { key } = await admin.createKey(subscriber, { rights: ['ingest', 'consume'] })
  await saveDemoFile(folder, { ...file, key })
  return key
}

function historyText({ rows, pushSeconds, settleSeconds }: HistoryResult): string {
  if (rows === 0) return 'They are already stored.\n'
  const rate = formatCount(rows / Math.max(pushSeconds, 0.001))
  return `${formatCount(rows)} rows pushed in ${pushSeconds.toFixed(1)} s (${rate} rows/s); all of them could be queried ${settleSeconds.toFixed(1)} s later.\n`
}

interface Demo {
  readonly context: CliContext
  readonly options: DemoOptions
  readonly file: DemoFile
  readonly url: string
  readonly signal: AbortSignal
}

async function play({ context, options, file, url, signal }: Demo): Promise<void> {
  const admin = new TidemarkClient({ url, key: file.adminKey })
  const key = await prepare(admin, options.data, file)
  const quiet = options.quiet === true
  const say = (text: string): void => {
    if (!quiet) context.stdout.write(text)
  }
  const feed: FeedOptions = { context, client: new TidemarkClient({ url, key }), admin, seed: file.seed, quiet, signal }
  say('Pushing readings of 40 instruments over HTTP: the last seven days, and 2026-01-01 for the guides...\n')
  await pushTags(feed.client, file.seed)
  const history = await pushHistory(feed, file.historyStartMs)
  if (signal.aborted) return
  await pushFaulty(feed.client, admin, file.seed, context.nowMs())
  say(historyText(history))
  say(welcomeText({ url, adminKey: file.adminKey, key, folder: options.data, nowMs: context.nowMs() }))
  if (options.once) return say(goOnText(options))
  say('The demo now pushes a reading of each instrument every second. Press Ctrl-C to end it.\n')
  await pushLive(feed)
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

async function runDemo(context: CliContext, options: DemoOptions): Promise<void> {
  const port = await freePort(host, options.port)
  const file = await openDemoFile(options.data, context.nowMs())
  const url = `http://${host}:${port}`
  const service = new ServiceProcess(context, { host, port, data: options.data, adminKey: file.adminKey })
  const stop = new AbortController()
  const onSignal = (): void => {
    stop.abort()
    service.stop()
  }
  for (const name of endSignals) process.on(name, onSignal)
  const kill = (): void => service.stop()
  process.once('exit', kill)
  const died = service.ended.then((how) => {
    if (stop.signal.aborted) return
    throw service.failure(`ended (${how})`)
  })
  try {
    await service.ready(new TidemarkClient({ url }), context)
    await Promise.race([play({ context, options, file, url, signal: stop.signal }), died])
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    if (!stop.signal.aborted) onSignal()
    await service.ended
    for (const name of endSignals) process.off(name, onSignal)
    process.off('exit', kill)
  }
}

/** `tidemark demo`: starts the service with data of a simulated plant. */
export function addDemo(program: Command, context: CliContext): void {
  program
    .command('demo')
    .description('start a service with a week of made-up readings and push live ones')
    .option('--port <port>', 'the port to listen on, on this machine only; 0 chooses a free port', parsePort, demoPort)
    .option('--data <folder>', 'the folder that holds the demo; a second start continues with it', demoFolder)
    .option('--once', 'push the history, print the examples, stop the service and end')
    .option('--quiet', 'print errors only')
    .addHelpText('after', '\nExamples:\n  tidemark demo\n  tidemark demo --port 9000 --data ./my-demo\n')
    .action((options: DemoOptions) => runDemo(context, options))
}
