// The settings of the SQL engine: a part of the table in settings.ts.
import { availableParallelism } from 'node:os'
import { gibibyte, longestMs, mebibyte } from './measures.ts'
import { integer, type Setting } from './setting.ts'

export const sqlSettings = {
  'sql.memoryBytes': integer({
    default: 512 * mebibyte,
    unit: 'bytes',
    min: 64 * mebibyte,
    max: 1024 * gibibyte,
    description: 'How much memory all running SQL and native queries take together.',
  }),
  'sql.workingBytes': integer({
    default: 768 * mebibyte,
    unit: 'bytes',
    min: 256 * mebibyte,
    max: 1024 * gibibyte,
    description:
      "How much memory the SQL engine's process takes besides: for itself, and for texts and lists that queries build. Past that the process is ended: the query that took it gets a 413, and the others are run again.",
  }),
  'sql.temporaryBytes': integer({
    default: 4 * gibibyte,
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description:
      'How much room on disk SQL and native queries take for what does not fit into memory. Past that a query gets a 413.',
  }),
  'sql.threads': integer({
    default: availableParallelism(),
    defaultText: 'one a core',
    unit: null,
    min: 1,
    max: 1024,
    description: 'How many threads the SQL engine uses.',
  }),
  'sql.restartDelayMs': integer({
    default: 100,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description:
      'How long to wait before an SQL engine that ended is started again. The wait doubles with each start that fails, up to 64 times.',
  }),
  'sql.cancelMs': integer({
    default: 1000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description:
      'How long a query may go on after its time limit, or after its client left. After that the SQL engine is ended.',
  }),
  'sql.metadataRows': integer({
    default: 100_000,
    unit: 'rows',
    min: 1,
    max: 10_000_000,
    description:
      'How many items of metadata one SQL query takes, of all its tables together, once its conditions on them have left out what they can. Past that a 413.',
  }),
  'sql.metadataBytes': integer({
    default: 64 * mebibyte,
    unit: 'bytes',
    min: mebibyte,
    max: gibibyte,
    description: 'How large they may be together, counting the columns that the query uses. Past that a 413.',
  }),
} satisfies Record<string, Setting>
