// Every setting of the server, once: parsing, the help text and docs/configuration.md are made from this table.
import { answerSettings } from './answer-settings.ts'
import { clusterSettings } from './cluster-settings.ts'
import { gibibyte, longestMs, mebibyte } from './measures.ts'
import { boolean, choice, integer, list, type Setting, secret, text } from './setting.ts'
import { sqlSettings } from './sql-settings.ts'
import { storeSettings } from './store-settings.ts'

const settingTable = {
  host: text({ default: '127.0.0.1', description: 'The address to listen on.' }),
  port: integer({
    default: 8080,
    unit: null,
    min: 0,
    max: 65_535,
    description: 'The port to listen on; 0 takes a free one.',
  }),
  data: text({ default: './data', description: 'The folder that holds all data. One server at a time may use it.' }),
  adminKey: secret({
    defaultText: 'made at the first start and printed once',
    description: 'The key of the operator. A changed one replaces the old one.',
  }),
  'access.consumption': choice({
    choices: ['public', 'key'],
    default: null,
    defaultText: '`public` on a loopback address, else `key`',
    description:
      'Who may read data: everyone, or who has a key. By the default only requests are public that name a loopback host and were not forwarded.',
  }),
  'access.metrics': choice({
    choices: ['public', 'key'],
    default: null,
    defaultText: 'as for `access.consumption`',
    description: 'Who may read /metrics: everyone, or who has an admin key.',
  }),
  'limits.ingestBodyBytes': integer({
    default: 16 * mebibyte,
    unit: 'bytes',
    min: 1,
    max: gibibyte,
    description: 'The largest body of a push, counted decompressed.',
  }),
  'limits.pushRows': integer({
    default: 1_000_000,
    unit: 'rows',
    min: 1,
    max: 100_000_000,
    description: 'The most rows of a push; past that it is a 400.',
  }),
  'limits.ingestWaitMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long a push with `wait=true` waits for its rows to be queryable before it gets the plain answer.',
  }),
  'limits.bodiesBytes': integer({
    default: 256 * mebibyte,
    unit: 'bytes',
    min: 65_536,
    max: 64 * gibibyte,
    description: 'What the bodies of all pushes on their way may take together; past that a push is a 503.',
  }),
  'limits.idempotencyKeys': integer({
    default: 10_000_000,
    unit: 'keys',
    min: 0,
    max: 1_000_000_000,
    description:
      'How many idempotency keys of the last 24 hours are kept, in about 50 bytes of memory each; past that a push with a new one is a 503.',
  }),
  'limits.keyRowsPerSecond': integer({
    default: 0,
    defaultText: 'no limit',
    unit: 'rows',
    min: 0,
    max: 1_000_000_000,
    description: 'How many rows may be pushed in a second with one API key; past that a push is a 429. 0 is no limit.',
  }),
  'limits.keyBytesPerSecond': integer({
    default: 0,
    defaultText: 'no limit',
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description:
      'How many bytes may be pushed in a second with one API key, decompressed; past that a push is a 429. 0 is no limit.',
  }),
  'limits.rejectedBytes': integer({
    default: gibibyte,
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description:
      'What the rejected rows of an ingest may take until they are discarded or replayed; past that its pushes are a 503.',
  }),
  'limits.checkMs': integer({
    default: 1000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How often it is looked how full the disk is, and what rejected rows take.',
  }),
  'limits.rowBytes': integer({
    default: mebibyte,
    unit: 'bytes',
    min: 2,
    max: gibibyte,
    description: 'The largest pushed row; a larger one is rejected.',
  }),
  'limits.queryBodyBytes': integer({
    default: mebibyte,
    unit: 'bytes',
    min: 1,
    max: gibibyte,
    description: 'The largest body of a data query, counted decompressed.',
  }),
  'limits.adminBodyBytes': integer({
    default: mebibyte,
    unit: 'bytes',
    min: 1,
    max: gibibyte,
    description: "The largest body of a request on the operator's side.",
  }),
  ...answerSettings,
  'journal.segmentBytes': integer({
    default: 64 * mebibyte,
    unit: 'bytes',
    min: 65_536,
    max: 4 * gibibyte,
    description: 'The size at which the journal begins another file.',
  }),
  'journal.pendingBytes': integer({
    default: 256 * mebibyte,
    unit: 'bytes',
    min: 65_536,
    max: 64 * gibibyte,
    description: 'How much may wait to be written to the journal; past that a push is a 503.',
  }),
  'journal.backlogBytes': integer({
    default: 4 * gibibyte,
    unit: 'bytes',
    min: 65_536,
    max: 1024 * gibibyte,
    description: 'How much may be in the journal and not judged yet; past that a push is a 503.',
  }),
  'journal.diskFloorBytes': integer({
    default: 256 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description:
      'How much must be free on the disk of the data folder, or on a cluster on each disk of Kafka; below it a push is a 503.',
  }),
  'journal.batchBytes': integer({
    default: 8 * mebibyte,
    unit: 'bytes',
    min: 4096,
    max: gibibyte,
    description: 'The most that one write to the journal takes of what waits; a single larger push is written whole.',
  }),
  'journal.apartBytes': integer({
    default: mebibyte,
    unit: 'bytes',
    min: 4096,
    max: gibibyte,
    description:
      'A push as large as this is written to a file of its own, which becomes the next file of the journal: small pushes do not wait for it.',
  }),
  ...storeSettings,
  ...sqlSettings,
  ...clusterSettings,
  'cors.origins': list({
    pattern: /^(\*|https?:\/\/[^\s/,]+)$/,
    allowed: 'a list of origins such as https://portal.example, or *',
    description: 'The origins whose web pages may call the service.',
  }),
  'portal.enabled': boolean({
    default: true,
    description: 'Whether there is a portal at /portal, the pages for people who push, read and operate.',
  }),
  'server.basePath': text({
    default: '',
    pattern: /^(\/[A-Za-z0-9._~-]+)*$/,
    allowed: 'a path such as /tidemark, with no slash at its end',
    description: 'What stands before every path.',
  }),
  'server.trustProxy': boolean({
    default: false,
    description: "Takes the caller's address from forwarding headers. For a server that only a proxy can reach.",
  }),
  'server.headerBytes': integer({
    default: 16_384,
    unit: 'bytes',
    min: 1024,
    max: mebibyte,
    description: 'The most that the headers of a request may take.',
  }),
  'server.headersMs': integer({
    default: 30_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long the headers of a request may take to arrive.',
  }),
  'server.requestMs': integer({
    default: 300_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long a whole request may take to arrive.',
  }),
  'server.keepAliveMs': integer({
    default: 72_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long a connection is kept open for the next request.',
  }),
  'server.shutdownMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 0,
    max: longestMs,
    description: 'How long requests in flight may take after the server was told to stop.',
  }),
  'log.level': choice({
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    default: 'info',
    description: 'The least important lines that are still logged.',
  }),
  'log.format': choice({
    choices: ['json', 'pretty', 'auto'],
    default: 'auto',
    description: 'How lines are logged to standard error; `auto` is `pretty` on a terminal.',
  }),
  'log.slowMs': integer({
    default: 1000,
    unit: 'milliseconds',
    min: 0,
    max: longestMs,
    description: 'A request that takes as long as this is logged.',
  }),
} satisfies Record<string, Setting>

type Table = typeof settingTable
type SettingName = keyof Table
type ValueOf<S> = S extends Setting<infer T> ? T : never
type TopName = Exclude<SettingName, `${string}.${string}`>
type GroupOf<N> = N extends `${infer G}.${string}` ? G : never

/** The settings as the rest of the service gets them, nested as the dots of their names say. */
export type Settings = { readonly [N in TopName]: ValueOf<Table[N]> } & {
  readonly [G in GroupOf<SettingName>]: {
    readonly [N in SettingName as N extends `${G}.${infer Leaf}` ? Leaf : never]: ValueOf<Table[N]>
  }
}

/** All settings in the order of the table. */
export const settingEntries: readonly (readonly [name: string, setting: Setting])[] = Object.entries(settingTable)

/** `limits.resultRows` is `TIDEMARK_LIMITS_RESULT_ROWS`. */
export function environmentName(name: string): string {
  return `TIDEMARK_${words(name).join('_').toUpperCase()}`
}

/** `limits.resultRows` is `--limits-result-rows`. */
export function flagName(name: string): string {
  return `--${words(name).join('-').toLowerCase()}`
}

function words(name: string): readonly string[] {
  return name.split('.').flatMap((part) => part.split(/(?=[A-Z])/))
}
