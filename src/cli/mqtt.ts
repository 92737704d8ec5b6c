import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { OwnIngestAnswer } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { mayGoBetter } from '../client/retries.ts'
import { ServiceError } from '../client/service-error.ts'
import { messageOf } from '../lib/message-of.ts'
import { printable } from '../lib/text-table.ts'
import { BrokerError, type BrokerOptions } from '../mqtt/broker.ts'
import type { ConnectorOptions } from '../mqtt/connector.ts'
import type { MappingOptions } from '../mqtt/message-rows.ts'
import { ReceiveTimes } from '../mqtt/receive-times.ts'
import { isSparkplug, metricTemplateText } from '../mqtt/sparkplug/sparkplug-topic.ts'
import { strangeProperties } from '../mqtt/sparkplug/strange-properties.ts'
import { strangeNamesNote } from '../mqtt/strange-names.ts'
import { filterFault } from '../mqtt/topic-filter.ts'
import { topicTemplate } from '../mqtt/topic-template.ts'
import { CommandError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { parseCount } from './number-option.ts'
import { UsageError } from './usage-error.ts'

interface MqttOptions {
  readonly broker: string
  readonly subscribe: readonly string[]
  readonly ingest: string
  readonly topic?: string
  readonly valueField?: string
  readonly textField?: string
  readonly truthField?: string
  readonly clientId?: string
  readonly protocol: '5' | '3.1.1'
  readonly username?: string
  readonly caFile?: string
  readonly inFlight: number
  readonly batchRows: number
  readonly bufferBytes: number
  readonly flushMs: number
  readonly rebirth: boolean
  readonly birthWaitMs: number
  readonly birthWaitMessages: number
}

/** Of Sparkplug, over all nodes: about 100 MB. */
const knownMetricsMax = 1_000_000

const help = `
A JSON object becomes a row, an array a row for each element, and a bare number, text or truth value a row with that value
in --value-field (or in --text-field or --truth-field). --topic gives a row properties from the levels of its topic; {name...} is the rest of a topic. A row without a time
gets the time at which the message was received; of rows of one series with one such time, each next one is a millisecond later. What is no row (broken JSON, bytes that are no UTF-8, another topic than --topic)
is pushed as it came, as {"mqtt_error", "mqtt_topic", "mqtt_payload"}, and is found among the rejected rows.

Messages of topics spBv1.0/... are Sparkplug B: each metric of births and data becomes a row {"group", "node", "device", "metric", the time, --value-field}.
--topic 'spBv1.0/{T...}' gives one tag instead: "group/node/device/metric", where the device of a node's own metrics is empty.
Where a message is missing, or the birth that says what an alias means, the node is asked for its births (not with --no-rebirth), and messages wait
for them, --birth-wait-ms at most; then they are among the rejected rows. Datasets, templates, arrays and bytes are there too. Of deaths and commands nothing is stored.

A message of QoS 1 is acknowledged to the broker only when its rows are on disk. The broker keeps the session of the client id, and
what comes while this command does not run: start it again with the same --client-id, which no other program may use.
A broker that was not told of an acknowledgement sends the message again. If the message says its own time and the ingest has
duplicates=replace, the row is still there once.

The user's password is read from the environment: TIDEMARK_MQTT_PASSWORD.

Examples:
  tidemark mqtt --broker mqtt://localhost --subscribe 'plant/+/+' --ingest plant --topic 'plant/{area}/{T}'
  tidemark mqtt --broker mqtts://broker.example --ca-file ca.pem --username line-3 --subscribe 'plant/#' --ingest plant --topic 'plant/{T...}'
  tidemark mqtt --broker mqtt://localhost --subscribe 'spBv1.0/#' --ingest plant --topic 'spBv1.0/{T...}'
`

function brokerUrl(text: string): URL {
  if (URL.canParse(text) && /^mqtts?:$/.test(new URL(text).protocol) && new URL(text).hostname !== '')
    return new URL(text)
  throw new UsageError(
    `"${text}" is no address of a broker. Give --broker as in mqtt://localhost:1883 or mqtts://localhost:8883.`,
  )
}

async function brokerOptions(options: MqttOptions, context: CliContext): Promise<BrokerOptions> {
  const url = brokerUrl(options.broker)
  const ca = options.caFile
  return {
    url,
    clientId: options.clientId ?? `tidemark-${options.ingest}`,
    filters: options.subscribe,
    protocol: options.protocol,
    inFlightMax: options.inFlight,
    keepAliveS: 30,
    username: options.username ?? (url.username === '' ? undefined : decodeURIComponent(url.username)),
    password:
      context.environment['TIDEMARK_MQTT_PASSWORD'] ||
      (url.password === '' ? undefined : decodeURIComponent(url.password)),
    ca:
      ca === undefined
        ? undefined
        : await readFile(ca, 'utf8').catch((cause) => {
            throw new CommandError(`${ca} cannot be read: ${cause instanceof Error ? cause.message : cause}`, { cause })
          }),
  }
}

/** Which fields the rows may have. Where the service is not there yet it is waited for. */
async function ingestOf(
  client: TidemarkClient,
  alias: string,
  context: CliContext,
  signal: AbortSignal,
): Promise<OwnIngestAnswer> {
  for (;;) {
    try {
      return await client.ownIngest(alias)
    } catch (error) {
      if ((error instanceof ServiceError && !mayGoBetter(error)) || signal.aborted) throw error
      context.stderr.write(`tidemark: ${printable(String((error as Error).message))} Trying again in 5 s.\n`)
      await context.sleep(5000, signal)
    }
  }
}

async function runMqtt(options: MqttOptions, context: CliContext, client: TidemarkClient): Promise<void> {
  const naming = namingOf(options)
  checkFilters(options.subscribe)
  const broker = await brokerOptions(options, context)
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  const ingest = await ingestOf(client, options.ingest, context, stop.signal)
  const { fields } = ingest
  const timeField = fields.find(({ role }) => role === 'time')?.source ?? null
  const tagFields = fields.filter(({ role }) => role === 'tag').map(({ source }) => source)
  noteStrange(ingest, naming, options, context)
  const receiveTimes = new ReceiveTimes(() => Date.now())
  // Loaded here: no other command needs a broker.
  const [{ runConnector }, { connectBroker }] = await Promise.all([
    import('../mqtt/connector.ts'),
    import('../mqtt/packets/connect-broker.ts'),
  ])
  try {
    const counts = await runConnector({
      broker,
      connect: connectBroker,
      client,
      ingest: options.ingest,
      mapping: { ...naming, timeField, tagFields, receiveTimes },
      sparkplug: sparkplugOptions(options),
      maxBatchRows: options.batchRows,
      maxBufferedBytes: options.bufferBytes,
      flushIntervalMs: options.flushMs,
      signal: stop.signal,
      onNote: (text) => context.stderr.write(`tidemark: ${printable(text)}\n`),
    })
    context.stderr.write(
      `tidemark: ${counts.messages} messages, ${counts.rows} rows, ${counts.again} messages came again.\n`,
    )
  } catch (error) {
    throw error instanceof BrokerError ? new CommandError(error.message, { cause: error }) : error
  }
}

type Naming = Pick<MappingOptions, 'template' | 'metricTemplate' | 'valueFields'>

function namingOf({ topic, valueField = 'V', textField = valueField, truthField = valueField }: MqttOptions): Naming {
  const template = topic === undefined ? null : readTemplate(topic)
  const isOfMetrics = topic !== undefined && isSparkplug(topic)
  return {
    template,
    metricTemplate: isOfMetrics && template !== null ? template : topicTemplate(metricTemplateText),
    valueFields: { number: valueField, text: textField, truth: truthField },
  }
}

/** Somebody who subscribes with an ingest that was not made for what comes would find rejected rows alone. */
function noteStrange(ingest: OwnIngestAnswer, naming: Naming, options: MqttOptions, { stderr }: CliContext): void {
  const { valueField, textField, truthField } = options
  const valueFields = { number: valueField, text: textField, truth: truthField }
  const note = strangeNamesNote(ingest, { template: naming.template, valueFields })
  if (note !== null && !options.subscribe.every(isSparkplug)) stderr.write(`tidemark: ${printable(note)}\n`)
  const sources = ingest.fields.map(({ source }) => source)
  const strange = strangeProperties(sources, naming)
  if (ingest.unknown === 'add' || strange.length === 0 || !options.subscribe.some(isSparkplug)) return
  stderr.write(
    `tidemark: ${ingest.alias} has no ${strange.join(', ')}: it rejects rows of Sparkplug that have them. Add the fields, or say with --topic and --value-field what it has.\n`,
  )
}

function sparkplugOptions(options: MqttOptions): ConnectorOptions['sparkplug'] {
  const { rebirth, birthWaitMs, birthWaitMessages, bufferBytes } = options
  const bounds = { birthWaitMessagesMax: birthWaitMessages, birthWaitBytesMax: bufferBytes, knownMetricsMax }
  return { mayAsk: rebirth, birthWaitMs, ...bounds }
}

function readTemplate(text: string): ReturnType<typeof topicTemplate> {
  try {
    return topicTemplate(text)
  } catch (error) {
    throw new UsageError(`--topic: ${messageOf(error)}`, { cause: error })
  }
}

/** A broker ends the connection for a filter that is none, again and again. */
function checkFilters(filters: readonly string[]): void {
  for (const filter of filters) {
    const fault = filterFault(filter)
    if (fault !== null)
      throw new UsageError(
        `--subscribe: "${filter}" is no filter of topics: ${fault}. Give one as 'plant/+/+' or 'plant/#'.`,
      )
  }
}

const collect = (text: string, before: readonly string[] = []): string[] => [...before, text]

/** `tidemark mqtt`: messages of a broker into an ingest, until a signal ends it. */
export function addMqtt(program: Command, context: CliContext): void {
  program
    .command('mqtt')
    .description('push the messages of an MQTT broker; each is acknowledged once it is on disk')
    .requiredOption('--broker <url>', 'the broker: mqtt://host:1883, or mqtts://host:8883 for TLS')
    .requiredOption('--subscribe <filter>', "what to subscribe to, as 'plant/+/+'; may be given again", collect)
    .requiredOption('--ingest <alias>', 'the ingest to push to')
    .option('--topic <template>', "what the levels of a topic are called, as 'plant/{area}/{T}'")
    .option('--value-field <name>', 'the property of a bare value (default: V)')
    .option('--text-field <name>', 'the property of a bare text (default: that of --value-field)')
    .option('--truth-field <name>', 'the property of a bare truth value (default: that of --value-field)')
    .option('--client-id <id>', "the broker's name for the session (default: tidemark-<ingest>)")
    .addOption(new Option('--protocol <version>', 'the version of MQTT').choices(['5', '3.1.1']).default('5'))
    .option('--username <name>', 'the user at the broker')
    .option('--ca-file <file>', "certificates, as PEM, of the authority that signed the broker's")
    .option(
      '--in-flight <count>',
      'how many messages the broker sends ahead of their acknowledgement (MQTT 5)',
      parseCount,
      1000,
    )
    .option('--batch-rows <count>', 'the most rows in a push', parseCount, 10_000)
    .option(
      '--buffer-bytes <count>',
      'the most bytes of rows in memory; then the broker waits',
      parseCount,
      64 * 1024 * 1024,
    )
    .option('--flush-ms <count>', 'how long a first row waits for others', parseCount, 10)
    .option('--no-rebirth', 'ask no node of Sparkplug for its births')
    .option('--birth-wait-ms <count>', 'how long a message of Sparkplug waits for a birth', parseCount, 10_000)
    .option('--birth-wait-messages <count>', 'how many of them wait; then the oldest waits no longer', parseCount, 500)
    .addHelpText('after', help)
    .action((options: MqttOptions, command: Command) =>
      runMqtt(options, context, connect(context, command.optsWithGlobals())),
    )
}
