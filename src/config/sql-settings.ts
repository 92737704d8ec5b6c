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
    description: 'How much memory the SQL and native queries that run at once may take together.',
  }),
  'sql.workingBytes': integer({
    default: 768 * mebibyte,
    unit: 'bytes',
    min: 256 * mebibyte,
    max: 1024 * gibibyte,
    description:
      'What the process of the SQL engine may hold beside that: itself, and texts and lists that are being made. Past that it is ended: the query that took it is a 413, others are run again.',
  }),
  'sql.temporaryBytes': integer({
    default: 4 * gibibyte,
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description: 'How much disk they may take for what does not fit into it; past that a query is a 413.',
  }),
  'sql.threads': integer({
    default: availableParallelism(),
    defaultText: 'one a core',
    unit: null,
    min: 1,
    max: 1024,
    description: 'How many threads the SQL engine computes with.',
  }),
  'sql.restartDelayMs': integer({
    default: 100,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description:
      'How long to wait before an SQL engine that died is started again; ten times as long when it did not start.',
  }),
  'sql.cancelMs': integer({
    default: 1000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description:
      'How long a query that is over its time, or whose caller has gone, may go on before the SQL engine is ended for it.',
  }),
} satisfies Record<string, Setting>
