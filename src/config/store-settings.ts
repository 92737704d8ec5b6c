// The settings of the store and of backups: a part of the table in settings.ts.
import { gibibyte, longestMs, mebibyte } from './measures.ts'
import { integer, type Setting, text } from './setting.ts'

export const storeSettings = {
  'store.stepBytes': integer({
    default: 256 * 1024,
    unit: 'bytes',
    min: 1024,
    max: gibibyte,
    description: 'About how much of the journal is judged before queries get their turn.',
  }),
  'store.stepRows': integer({
    default: 16_384,
    unit: 'rows',
    min: 1,
    max: 1_048_576,
    description:
      'How many rows are judged before queries get their turn; fewer where an ingest has more than 32 fields.',
  }),
  'store.generationRows': integer({
    default: 262_144,
    unit: 'rows',
    min: 1024,
    max: 1_048_576,
    description: 'How many rows of an entity are kept in one piece of memory.',
  }),
  'store.restartDelayMs': integer({
    default: 100,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long to wait before a store that died is started again.',
  }),
  'store.headRows': integer({
    default: 1_000_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000_000,
    description: 'How many rows are kept in memory alone before they are sealed into files.',
  }),
  'store.headBytes': integer({
    default: 256 * mebibyte,
    unit: 'bytes',
    min: 1024,
    max: 64 * gibibyte,
    description: 'How much memory those rows may take before they are sealed.',
  }),
  'store.headAgeMs': integer({
    default: 600_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long a row is kept in memory alone at most before it is sealed.',
  }),
  'store.unsealedBytes': integer({
    default: 512 * mebibyte,
    unit: 'bytes',
    min: 1024,
    max: 64 * gibibyte,
    description:
      'How much of the journal may be judged and not be sealed, whatever it holds, before a seal lets go of it.',
  }),
  'store.retentionCheckMs': integer({
    default: 60_000,
    unit: 'milliseconds',
    min: 1,
    max: 3_600_000,
    description: 'How often it is looked whether a day is over that entities keep their items no longer than.',
  }),
  'store.dayRowsMin': integer({
    default: 20_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000_000,
    description: 'A day of an entity that a seal finds fewer rows of gets no file of its own: such days share one.',
  }),
  'store.deltaFiles': integer({
    default: 12,
    unit: null,
    min: 1,
    max: 1000,
    description: 'In how many files at most the rows that are in memory alone are given to the SQL engine.',
  }),
  'store.pageRows': integer({
    default: 8192,
    unit: 'rows',
    min: 16,
    max: 1_048_576,
    description: 'The most rows of a page, which is the least that is read of a file.',
  }),
  'store.fileRowsMax': integer({
    default: 16_777_216,
    unit: 'rows',
    min: 16,
    max: 1_000_000_000,
    description: 'Files are merged until they hold about as many rows.',
  }),
  'store.pageCacheBytes': integer({
    default: 128 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 64 * gibibyte,
    description: 'How much of decoded pages is kept in memory.',
  }),
  'store.indexCacheBytes': integer({
    default: 128 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 64 * gibibyte,
    description: 'How much of the indexes of files is kept in memory.',
  }),
  'store.retryDelayMs': integer({
    default: 5000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long to wait before a seal or a merge of files that failed is tried again.',
  }),
  'backup.directory': text({
    default: '',
    defaultText: '`backups` in the data folder',
    description: "The server's own folder that backups are made in.",
    pattern: /^.*$/s,
    allowed: 'the path of a folder',
  }),
} satisfies Record<string, Setting>
