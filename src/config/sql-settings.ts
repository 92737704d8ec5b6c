// The settings of the SQL engine, for the table in settings.ts.
import { availableParallelism } from 'node:os'
import { gibibyte, longestMs, mebibyte } from './measures.ts'
import { integer, type Setting } from './setting.ts'

export const sqlSettings = {
  'sql.memoryBytes': integer({
    default: 512 * mebibyte,
    small: 128 * mebibyte,
    unit: 'bytes',
    min: 64 * mebibyte,
    max: 1024 * gibibyte,
    description: 'Memory for all running SQL and native queries together.',
  }),
  'sql.workingBytes': integer({
    default: 768 * mebibyte,
    small: 256 * mebibyte,
    unit: 'bytes',
    min: 256 * mebibyte,
    max: 1024 * gibibyte,
    description:
      "Further memory of the SQL engine's process: for itself, and for texts and lists that queries build. Beyond it the process is ended: the query that used it up gets a 413, and the others run again.",
  }),
  'sql.temporaryBytes': integer({
    default: 4 * gibibyte,
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description: 'Disk space for SQL and native queries that do not fit into memory. Beyond it a query gets a 413.',
  }),
  'sql.threads': integer({
    default: availableParallelism(),
    defaultText: 'one a core',
    unit: null,
    min: 1,
    max: 1024,
    description: 'The threads of the SQL engine.',
  }),
  'sql.idleMs': integer({
    default: 300_000,
    small: 20_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description:
      'The SQL engine ends after so long without a query, and frees its memory. The next query starts it again, which takes about half a second.',
  }),
  'sql.cancelMs': integer({
    default: 1000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description:
      'The longest that a query may go on after its time limit, or after its client left. After that the SQL engine is ended.',
  }),
  'sql.metadataRows': integer({
    default: 100_000,
    unit: 'rows',
    min: 1,
    max: 10_000_000,
    description:
      'The most metadata items that one SQL query may read, from all its tables together, after its WHERE has left out others. A larger query fails with 413.',
  }),
  'sql.metadataBytes': integer({
    default: 64 * mebibyte,
    unit: 'bytes',
    min: mebibyte,
    max: gibibyte,
    description:
      'The most bytes of metadata that one SQL query may read, counting only the columns it uses. A larger query fails with 413.',
  }),
} satisfies Record<string, Setting>
