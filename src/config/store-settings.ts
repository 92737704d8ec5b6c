// The settings of the store and of backups, for the table in settings.ts.
import { gibibyte, longestMs, mebibyte } from './measures.ts'
import { integer, type Setting, text } from './setting.ts'

export const storeSettings = {
  'store.stepBytes': integer({
    default: 256 * 1024,
    unit: 'bytes',
    min: 1024,
    max: gibibyte,
    description: 'About how many bytes of the journal are validated in one step. Queries run between steps.',
  }),
  'store.stepRows': integer({
    default: 16_384,
    unit: 'rows',
    min: 1,
    max: 1_048_576,
    description: 'How many rows are validated in one step: fewer if an ingest has more than 32 fields.',
  }),
  'store.headRows': integer({
    default: 1_000_000,
    small: 125_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000_000,
    description: 'The most rows in memory before they are sealed into files.',
  }),
  'store.headBytes': integer({
    default: 256 * mebibyte,
    small: 16 * mebibyte,
    unit: 'bytes',
    min: 1024,
    max: 64 * gibibyte,
    description: 'The most memory of these rows before they are sealed.',
  }),
  'store.headAgeMs': integer({
    default: 120_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'The greatest age of a row in memory before rows are sealed.',
  }),
  'store.unsealedBytes': integer({
    default: 512 * mebibyte,
    unit: 'bytes',
    min: 1024,
    max: 64 * gibibyte,
    description:
      'The most bytes of the journal that are validated and not sealed. Beyond it the store seals, so that the journal can be trimmed.',
  }),
  'store.retentionCheckMs': integer({
    default: 60_000,
    unit: 'milliseconds',
    min: 1,
    max: 3_600_000,
    description: "How often the service looks for days that are older than their entity's retention.",
  }),
  'store.dayRowsMin': integer({
    default: 20_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000_000,
    description:
      'In a seal, a day of an entity with at least this many rows gets its own file. Smaller days share a file.',
  }),
  'store.pageRows': integer({
    default: 8192,
    unit: 'rows',
    min: 16,
    max: 1_048_576,
    description: 'The most rows of a page, the smallest part of a file that is read.',
  }),
  'store.fileRowsMax': integer({
    default: 16_777_216,
    unit: 'rows',
    min: 16,
    max: 1_000_000_000,
    description: 'Files are merged until they hold about this many rows.',
  }),
  'store.pageCacheBytes': integer({
    default: 128 * mebibyte,
    small: 8 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 64 * gibibyte,
    description: 'Memory for the cache of decoded pages.',
  }),
  'store.indexCacheBytes': integer({
    default: 128 * mebibyte,
    small: 8 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 64 * gibibyte,
    description: 'Memory for the cache of file indexes.',
  }),
  'store.retryDelayMs': integer({
    default: 5000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'The wait before a failed seal or merge is tried again.',
  }),
  'backup.directory': text({
    default: '',
    defaultText: '`backups` in the data folder',
    description: "The server's folder for backups.",
    pattern: /^.*$/s,
    allowed: 'the path of a folder',
  }),
} satisfies Record<string, Setting>
