// The settings of answers, their limits and where they are kept: a part of the table in settings.ts.
import { availableParallelism } from 'node:os'
import { gibibyte, longestMs, mebibyte } from './measures.ts'
import { integer, type Setting } from './setting.ts'

export const answerSettings = {
  'limits.resultRows': integer({
    default: 1_000_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000_000,
    description: 'The most rows an answer may have.',
  }),
  'limits.buckets': integer({
    default: 1_000_000,
    unit: 'buckets',
    min: 1,
    max: 1_000_000_000,
    description:
      'The most buckets of time in the answer to an average (each bucket counts once), the most ticks of a snap, and the most buckets that a native query fills.',
  }),
  'limits.resultBytes': integer({
    default: 256 * mebibyte,
    unit: 'bytes',
    min: 2,
    max: 64 * gibibyte,
    description: 'The largest answer, before compression.',
  }),
  'limits.queryTimeMs': integer({
    default: 60_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long a query may take until its result is complete.',
  }),
  'limits.runningQueries': integer({
    default: 2 * availableParallelism(),
    defaultText: '2 a core',
    unit: 'queries',
    min: 1,
    max: 10_000,
    description:
      'How many queries run at once. One reader gets at most three quarters of the places of each kind. A reader is a subscriber, or an address if reading is public.',
  }),
  'limits.runningSqlQueries': integer({
    default: Math.floor(1.5 * availableParallelism()),
    defaultText: '3 for 2 cores',
    unit: 'queries',
    min: 1,
    max: 10_000,
    description:
      'How many of the running queries may be SQL and native queries. If there are at least two places, one is always left for data queries.',
  }),
  'limits.waitingQueries': integer({
    default: 100,
    unit: 'queries',
    min: 0,
    max: 1_000_000,
    description:
      'How many queries wait for their turn, on one machine some small ones of them in the store. One reader gets at most three quarters of these places. Past that a query gets a 503.',
  }),
  'limits.pageBytes': integer({
    default: 16 * mebibyte,
    unit: 'bytes',
    min: 1,
    max: gibibyte,
    description: 'The size of items at which a page of a list ends early.',
  }),
  'limits.sendIdleMs': integer({
    default: 30_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long a client may read nothing of its answer. After that the service closes the connection.',
  }),
  'spool.answerMemoryBytes': integer({
    default: 8 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: gibibyte,
    description: 'How much of one answer is kept in memory until it is sent. A larger answer goes to a temporary file.',
  }),
  'spool.memoryBytes': integer({
    default: 128 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 64 * gibibyte,
    description:
      'How much memory the answers that are not sent yet take together. Past that, more of them go to files.',
  }),
  'spool.fileBytes': integer({
    default: 8 * gibibyte,
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description:
      'How much room on disk the temporary files of answers take together. Past that, a query whose answer needs a file gets a 503.',
  }),
} satisfies Record<string, Setting>
