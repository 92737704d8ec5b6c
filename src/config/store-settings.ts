// The settings of the store and of backups: a part of the table in settings.ts.
import { gibibyte, longestMs, mebibyte } from './measures.ts'
import { integer, type Setting, text } from './setting.ts'

export const storeSettings = {
  'store.stepBytes': integer({
    default: 256 * 1024,
    unit: 'bytes',
    min: 1024,
    max: gibibyte,
    description: 'About how much of the journal is judged in one step. Queries get their turn between steps.',
  }),
  'store.stepRows': integer({
    default: 16_384,
    unit: 'rows',
    min: 1,
    max: 1_048_576,
    description: 'How many rows are judged in one step. It is fewer if an ingest has more than 32 fields.',
  }),
  'store.generationRows': integer({
    default: 262_144,
    unit: 'rows',
    min: 1024,
    max: 1_048_576,
    description: 'How many rows of an entity one piece of memory holds.',
  }),
  'store.restartDelayMs': integer({
    default: 100,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description:
      "How long to wait before a store's thread that ended is started again. The wait doubles with each start that fails, up to 64 times.",
  }),
  'store.headRows': integer({
    default: 1_000_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000_000,
    description: 'How many rows are kept in memory before they are sealed into files.',
  }),
  'store.headBytes': integer({
    default: 256 * mebibyte,
    unit: 'bytes',
    min: 1024,
    max: 64 * gibibyte,
    description: 'How much memory these rows take before they are sealed.',
  }),
  'store.headAgeMs': integer({
    default: 600_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How old the oldest row in memory gets before rows are sealed.',
  }),
  'store.unsealedBytes': integer({
    default: 512 * mebibyte,
    unit: 'bytes',
    min: 1024,
    max: 64 * gibibyte,
    description:
      'How much of the journal may be judged and not sealed, whatever it holds. Past that the store seals, so that the journal can be trimmed.',
  }),
  'store.retentionCheckMs': integer({
    default: 60_000,
    unit: 'milliseconds',
    min: 1,
    max: 3_600_000,
    description: 'How often the service checks whether a day has become older than the retention of an entity.',
  }),
  'store.dayRowsMin': integer({
    default: 20_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000_000,
    description:
      'A day of an entity gets its own file in a seal if it has at least this many rows. Days with fewer rows share a file.',
  }),
  'store.deltaFiles': integer({
    default: 12,
    unit: null,
    min: 1,
    max: 1000,
    description: 'The most files in which the SQL engine gets the rows that are only in memory.',
  }),
  'store.pageRows': integer({
    default: 8192,
    unit: 'rows',
    min: 16,
    max: 1_048_576,
    description: 'The most rows of a page. A page is the smallest part of a file that is read.',
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
    unit: 'bytes',
    min: 0,
    max: 64 * gibibyte,
    description: 'How much memory the cache of decoded pages takes.',
  }),
  'store.indexCacheBytes': integer({
    default: 128 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 64 * gibibyte,
    description: "How much memory the cache of the files' indexes takes.",
  }),
  'store.retryDelayMs': integer({
    default: 5000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long to wait before a failed seal or merge is tried again.',
  }),
  'backup.directory': text({
    default: '',
    defaultText: '`backups` in the data folder',
    description: 'The folder of the server in which backups are made.',
    pattern: /^.*$/s,
    allowed: 'the path of a folder',
  }),
} satisfies Record<string, Setting>
