import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { TidemarkClient } from '../client/client.ts'
import { messageOf } from '../lib/message-of.ts'
import { CommandError, UsageError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { parseCount, wholeNumber } from './option-values.ts'
import { printNote } from './output.ts'

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
  readonly messageBytes: number
  readonly flushMs: number
  readonly rebirth: boolean
  readonly birthWaitMs: number
  readonly birthWaitMessages: number
}

const help = `
A JSON object becomes a row, and an array a row for each element. A bare number, string or boolean becomes a row with that value
in --value-field (or --text-field or --truth-field). --topic turns the levels of a topic into properties; {name...} is the rest of a topic.
A row without a time gets the time at which its message arrived; rows of one series with the same such time are a millisecond apart. A message
that is not a row (broken JSON, invalid UTF-8, a topic that does not match --topic) is pushed as {"mqtt_error", "mqtt_topic",
"mqtt_payload"}, and ends up among the rejected rows.

Messages of topics spBv1.0/... are Sparkplug B: each metric of births and data becomes a row {"group", "node", "device", "metric", the time, --value-field}.
--topic 'spBv1.0/{T...}' makes one tag of them: "group/node/device/metric". For a node's own metrics the device is empty.
After a gap in the sequence, or for an unknown alias, the command requests births from the node (unless --no-rebirth). Messages wait for them for
--birth-wait-ms at most, and are then rejected. Datasets, templates, arrays and bytes are rejected too. Commands are not stored,
and deaths only if the ingest has a field of the role quality, which also receives the property Quality of metrics.

A message of QoS 1 is acknowledged to the broker only when its rows are on disk. While the command does not run, the broker keeps
messages for its client id: start it again with the same --client-id, which no other program may use. If an acknowledgement is lost, the
broker sends the message again. The row is still stored once if the message has its own time and the ingest has duplicates=replace.

The password comes from the environment variable TIDEMARK_MQTT_PASSWORD.

Examples, the first with the ingest that it needs:
  tidemark ingests create plant --field D:timestamp:time,T:string:tag,area:string:dimension,V:double:metric
  tidemark mqtt --broker mqtt://localhost --subscribe 'plant/+/+' --ingest plant --topic 'plant/{area}/{T}'
  tidemark mqtt --broker mqtts://broker.example --ca-file ca.pem --username line-3 --subscribe 'plant/#' --ingest plant --topic 'plant/{T...}'
  tidemark mqtt --broker mqtt://localhost --subscribe 'spBv1.0/#' --ingest plant --topic 'spBv1.0/{T...}'
`

const certificates = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause) => {
    throw new CommandError(`${file} cannot be read: ${messageOf(cause)}`, { cause })
  })

async function runMqtt(options: MqttOptions, context: CliContext, client: TidemarkClient): Promise<void> {
  const { inFlight, batchRows, bufferBytes, messageBytes, flushMs, rebirth, birthWaitMessages, caFile, ...same } =
    options
  const say = (text: string): void => printNote(context, text)
  const ca = caFile === undefined ? undefined : await certificates(caFile)
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  // Loaded here, since no other command needs a broker.
  const { BrokerError, OptionError, pushMessages } = await import('../mqtt/push-messages.ts')
  try {
    const counts = await pushMessages({
      ...same,
      client,
      ca,
      password: context.environment['TIDEMARK_MQTT_PASSWORD'] || undefined,
      inFlightMax: inFlight,
      maxBatchRows: batchRows,
      maxBufferedBytes: bufferBytes,
      maxMessageBytes: messageBytes,
      flushIntervalMs: flushMs,
      requestsBirths: rebirth,
      birthWaitMessagesMax: birthWaitMessages,
      signal: stop.signal,
      onNote: say,
    })
    say(`${counts.messages} messages, ${counts.rows} rows, ${counts.again} messages came again.`)
  } catch (error) {
    if (error instanceof OptionError) throw new UsageError(`--${error.message}`, { cause: error })
    throw error instanceof BrokerError ? new CommandError(error.message, { cause: error }) : error
  }
}

const collect = (text: string, before: readonly string[] = []): string[] => [...before, text]

/** `tidemark mqtt`: pushes the messages of a broker into an ingest until a signal ends it. */
export function addMqtt(program: Command, context: CliContext): void {
  program
    .command('mqtt')
    .description('push the messages of an MQTT broker; each is acknowledged once it is on disk')
    .requiredOption('--broker <url>', 'the broker: mqtt://host:1883, or mqtts://host:8883 for TLS')
    .requiredOption('--subscribe <filter>', "the topics to subscribe to, such as 'plant/+/+'; may be repeated", collect)
    .requiredOption('--ingest <alias>', 'the ingest to push to')
    .option('--topic <template>', "the names of a topic's levels, such as 'plant/{area}/{T}'")
    .option('--value-field <name>', 'the property of a bare value (default: V)')
    .option('--text-field <name>', 'the property of a bare string (default: as --value-field)')
    .option('--truth-field <name>', 'the property of a bare boolean (default: as --value-field)')
    .option('--client-id <id>', 'the MQTT client id (default: tidemark-<ingest>)')
    .addOption(new Option('--protocol <version>', 'the version of MQTT').choices(['5', '3.1.1']).default('5'))
    .option('--username <name>', 'the user name for the broker')
    .option('--ca-file <file>', "a PEM file of the authority that signed the broker's certificate")
    .option(
      '--in-flight <count>',
      'the most messages that the broker sends before acknowledgements (MQTT 5)',
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
    .option(
      '--message-bytes <count>',
      'the largest message; the start of a larger one is kept among the rejected rows',
      wholeNumber(128 * 1024, 256 * 1024 * 1024),
      16 * 1024 * 1024,
    )
    .option('--flush-ms <count>', 'milliseconds that a first row waits for more rows', parseCount, 10)
    .option('--no-rebirth', 'never request births from a Sparkplug node')
    .option('--birth-wait-ms <count>', 'milliseconds that a Sparkplug message waits for a birth', parseCount, 10_000)
    .option(
      '--birth-wait-messages <count>',
      'the most messages that wait for births; beyond it the oldest stops waiting',
      parseCount,
      500,
    )
    .addHelpText('after', help)
    .action((options: MqttOptions, command: Command) =>
      runMqtt(options, context, connect(context, command.optsWithGlobals())),
    )
}
