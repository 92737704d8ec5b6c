// The single definition of every setting of the server: parsing, the help text and docs/configuration.md are made from this table.

import { totalmem } from 'node:os'
import { answerSettings } from './answer-settings.ts'
import { clusterSettings } from './cluster-settings.ts'
import { i3xSettings } from './i3x-settings.ts'
import { jdbcSettings } from './jdbc-settings.ts'
import { gibibyte, longestMs, mebibyte } from './measures.ts'
import { replicaSettings } from './replica-settings.ts'
import { serverSettings } from './server-settings.ts'
import { choice, flag, integer, list, type Setting, secret, text } from './setting.ts'
import { sqlSettings } from './sql-settings.ts'
import { storeSettings } from './store-settings.ts'

const settingTable = {
  // First, because it determines the defaults of the others.
  small: flag({
    default: isMemoryLittle(),
    defaultText: 'true with less than 1 GiB of memory',
    description:
      'Whether the service keeps within little memory, at the price of time: settings have their small defaults, and garbage is collected early. The service looks at the memory of the machine or, if that is less, the limit of its cgroup.',
  }),
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
    charactersMin: 24,
    advice: 'such as `openssl rand -base64 24` makes',
    description: "The operator's key. A new value replaces the old key.",
  }),
  'access.consumption': choice({
    choices: ['public', 'key'],
    default: 'key',
    description:
      'Who may read data: only callers with a key (`key`), or everyone who reaches the service (`public`), except web pages of other origins.',
  }),
  'access.metrics': choice({
    choices: ['public', 'key'],
    default: null,
    defaultText: 'as `access.consumption`',
    description:
      'Who may read /metrics: everyone (`public`), or only callers with a key that has the right `observe` or `admin` (`key`).',
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
    description: 'The most rows of a push. A larger push gets a 400.',
  }),
  'limits.checkRows': integer({
    default: 1000,
    unit: 'rows',
    min: 1,
    max: 100_000,
    description: 'The most rows of a check, and of the preview of a replay. A larger check gets a 400.',
  }),
  'limits.ingestWaitMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description:
      'The longest that a push with `wait=true` waits until its rows can be queried. After that it gets the plain answer.',
  }),
  'limits.bodiesBytes': integer({
    default: 256 * mebibyte,
    small: 32 * mebibyte,
    unit: 'bytes',
    min: 65_536,
    max: 64 * gibibyte,
    description: 'Memory for the bodies of all pushes in flight. Beyond it a push gets a 503.',
  }),
  'limits.idempotencyKeys': integer({
    default: 10_000_000,
    small: 1_000_000,
    unit: 'keys',
    min: 0,
    max: 1_000_000_000,
    description:
      'The most idempotency keys of the last 24 hours, at about 50 bytes of memory each. Beyond it a push with a new key gets a 503. On a cluster PostgreSQL counts them, some seconds late.',
  }),
  'limits.keyRowsPerSecond': integer({
    default: 0,
    defaultText: 'no limit',
    unit: 'rows',
    min: 0,
    max: 1_000_000_000,
    description: 'The most rows a second that one API key may push. Beyond it a push gets a 429. 0 is no limit.',
  }),
  'limits.keyBytesPerSecond': integer({
    default: 0,
    defaultText: 'no limit',
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description:
      'The most bytes a second, decompressed, that one API key may push. Beyond it a push gets a 429. 0 is no limit.',
  }),
  'limits.failedKeysPerMinute': integer({
    default: 60,
    unit: null,
    min: 0,
    max: 1_000_000,
    description:
      'How many requests a minute with an unknown key are refused at once, per address (IPv6: per /64). Later ones wait up to 5 seconds for their 403. Requests with a valid key never wait. 0 is no limit.',
  }),
  'limits.rejectedBytes': integer({
    default: gibibyte,
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description:
      'The most bytes of rejected rows of one ingest: their texts, messages and property names. Beyond it, pushes to the ingest get a 503 until rejected rows are discarded or replayed. Rows that wait for validation count too, each with its text and 128 bytes, so a small value slows pushes of good rows. One push may go beyond the limit; so may the messages of waiting rows, and up to three times their text where a row is little more than one long property name.',
  }),
  'limits.checkMs': integer({
    default: 1000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description:
      'How often the service checks the free disk space, the size of rejected rows, and the certificate files; every tenth check also looks for hook events about rows.',
  }),
  'limits.deletions': integer({
    default: 1000,
    unit: 'deletions',
    min: 0,
    max: 100_000,
    description: 'The most deletions of rows of an entity that can be taken back. One more gets a 409.',
  }),
  'limits.metricsIngests': integer({
    default: 100,
    unit: 'ingests',
    min: 0,
    max: 10_000,
    description:
      'The most ingests with their own time series in /metrics. The oldest ingests have them; the rest are counted together as `(others)`.',
  }),
  'limits.fields': integer({
    default: 1000,
    unit: null,
    min: 1,
    max: 100_000,
    description:
      'The most fields of an ingest that adds fields from its rows. A row that needs one more is rejected (`too_many_fields`).',
  }),
  'limits.rowBytes': integer({
    default: mebibyte,
    unit: 'bytes',
    min: 2,
    max: gibibyte,
    description: 'The largest row of a push. A larger row is rejected.',
  }),
  'limits.queryBodyBytes': integer({
    default: mebibyte,
    unit: 'bytes',
    min: 1,
    max: gibibyte,
    description: 'The largest body of a data query, counted decompressed.',
  }),
  'limits.queryBodiesBytes': integer({
    default: 64 * mebibyte,
    small: 16 * mebibyte,
    unit: 'bytes',
    min: 65_536,
    max: 64 * gibibyte,
    description:
      'Memory for the bodies of all queries and operator requests in flight. Beyond it a request gets a 503.',
  }),
  'limits.sqlTokens': integer({
    default: 20_000,
    unit: 'tokens',
    min: 100,
    max: 100_000,
    description:
      'The most tokens (words and symbols) of an SQL query. Parsing 20,000 takes a tenth of a second, in which the service does nothing else.',
  }),
  'limits.adminBodyBytes': integer({
    default: mebibyte,
    unit: 'bytes',
    min: 1,
    max: gibibyte,
    description: "The largest body of an operator's request.",
  }),
  ...answerSettings,
  'journal.segmentBytes': integer({
    default: 64 * mebibyte,
    unit: 'bytes',
    min: 65_536,
    max: 4 * gibibyte,
    description: 'The size at which the journal starts a new file.',
  }),
  'journal.pendingBytes': integer({
    default: 256 * mebibyte,
    unit: 'bytes',
    min: 65_536,
    max: 64 * gibibyte,
    description: 'The most bytes that wait to be written to the journal. Beyond it a push gets a 503.',
  }),
  'journal.backlogBytes': integer({
    default: 4 * gibibyte,
    unit: 'bytes',
    min: 65_536,
    max: 1024 * gibibyte,
    description: 'The most bytes of the journal that wait for validation. Beyond it a push gets a 503.',
  }),
  'journal.diskFloorBytes': integer({
    default: 256 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description:
      'The least free space on the disk of the data folder, or on each disk of Kafka with `engine=cluster`. Below it a push gets a 503.',
  }),
  'journal.diskWarnBytes': integer({
    default: 2 * gibibyte,
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description:
      'With less free space on that disk, the log and `/readyz` warn before pushes are refused. They always warn below `journal.diskFloorBytes`.',
  }),
  'journal.batchBytes': integer({
    default: 8 * mebibyte,
    small: 2 * mebibyte,
    unit: 'bytes',
    min: 4096,
    max: gibibyte,
    description: 'The most bytes in one write to the journal. A larger push is written whole.',
  }),
  'journal.apartBytes': integer({
    default: mebibyte,
    unit: 'bytes',
    min: 4096,
    max: gibibyte,
    description:
      'A push of at least this size is written to its own file, which becomes the next file of the journal. Small pushes do not wait for it.',
  }),
  ...storeSettings,
  ...replicaSettings,
  ...sqlSettings,
  ...jdbcSettings,
  ...i3xSettings,
  ...clusterSettings,
  'deletions.eraseAfterMs': integer({
    default: 30 * 86_400_000,
    unit: 'milliseconds',
    min: 1,
    max: 100 * 365 * 86_400_000,
    description:
      'How long a deletion of rows can be taken back. Then its rows are permanently removed from the files. `engine=embedded` only.',
  }),
  'audit.keep': text({
    default: 'P365D',
    pattern: /^P(?=\d)(\d{1,3}Y)?(\d{1,4}M)?(\d{1,4}W)?(\d{1,5}D)?$/,
    allowed: 'a duration of years, months, weeks and days such as P365D',
    description: 'How long the lines of the audit are kept; `tidemark audit` lists them.',
  }),
  'hooks.privateAddresses': flag({
    default: false,
    description:
      'Whether a hook may be at an address of this machine, or of a private, link-local, shared or reserved network. If false, nobody who may create hooks can use them to reach other machines of the network.',
  }),
  'cors.origins': list({
    pattern: /^(\*|https?:\/\/[^\s/,]+)$/,
    allowed: 'a list of origins such as https://portal.example, or *',
    description: 'The origins whose web pages may call the service.',
  }),
  'portal.enabled': flag({
    default: true,
    description: 'Whether the service has the portal at /portal: web pages for people who push, read and operate.',
  }),
  'self.historyMs': integer({
    default: null,
    defaultText: '`15000`; `0` with `engine=cluster`, where it takes a task slot of Druid',
    unit: 'milliseconds',
    min: 0,
    max: longestMs,
    description:
      'How often the service records its own state as a row of its entity `tidemark_self`, which keeps 7 days. 0 means never.',
  }),
  ...serverSettings,
  'log.level': choice({
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    default: 'info',
    description: 'The lowest level that is logged.',
  }),
  'log.format': choice({
    choices: ['json', 'pretty', 'auto'],
    default: 'auto',
    description: 'The format of the log on standard error. `auto` is `pretty` on a terminal and `json` elsewhere.',
  }),
  'log.slowMs': integer({
    default: 1000,
    unit: 'milliseconds',
    min: 0,
    max: longestMs,
    description: 'Requests that take at least this long are logged.',
  }),
} satisfies Record<string, Setting>

type Table = typeof settingTable
type SettingName = keyof Table
type ValueOf<S> = S extends Setting<infer T> ? T : never
type TopName = Exclude<SettingName, `${string}.${string}`>
type GroupOf<N> = N extends `${infer G}.${string}` ? G : never

/** The settings as the rest of the service uses them, nested by the dots in their names. */
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

/** Checks the memory of the machine and the limit of this process's cgroup. Without a limit that is 0, or a number larger than any machine's memory. */
export function isMemoryLittle(machineBytes = totalmem(), allowedBytes = process.constrainedMemory() ?? 0): boolean {
  return machineBytes < gibibyte || (allowedBytes > 0 && allowedBytes < gibibyte)
}
