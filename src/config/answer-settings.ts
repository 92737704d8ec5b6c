// The settings of responses: their limits and where they are buffered. For the table in settings.ts.
import { availableParallelism } from 'node:os'
import { gibibyte, longestMs, mebibyte } from './measures.ts'
import { integer, type Setting } from './setting.ts'

export const answerSettings = {
  'limits.resultRows': integer({
    default: 1_000_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000_000,
    description: 'The most rows of an answer.',
  }),
  'limits.buckets': integer({
    default: 1_000_000,
    unit: 'buckets',
    min: 1,
    max: 1_000_000_000,
    description:
      'The most time buckets in the answer of an average (each counts once for all tags), ticks of a snap, and buckets that a native query fills.',
  }),
  'limits.resultBytes': integer({
    default: 256 * mebibyte,
    unit: 'bytes',
    min: 2,
    max: 64 * gibibyte,
    description: 'The largest answer, before compression.',
  }),
  'limits.readRows': integer({
    default: 10_000_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000_000_000,
    description: 'On a cluster, the most rows that a query of values over time may read.',
  }),
  'limits.queryTimeMs': integer({
    default: 60_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'The longest that a query may take until its result is complete.',
  }),
  'limits.runningQueries': integer({
    default: 2 * availableParallelism(),
    defaultText: '2 a core',
    unit: 'queries',
    min: 1,
    max: 10_000,
    description:
      'The most queries that run at once. One reader gets at most three quarters of the places of each kind. A reader is a subscriber, or an address if reading is public.',
  }),
  'limits.runningSqlQueries': integer({
    default: Math.floor(1.5 * availableParallelism()),
    defaultText: '3 for 2 cores',
    unit: 'queries',
    min: 1,
    max: 10_000,
    description:
      'How many of the running queries may be SQL and native queries. With two places or more, one always remains for data queries.',
  }),
  'limits.waitingQueries': integer({
    default: 100,
    unit: 'queries',
    min: 0,
    max: 1_000_000,
    description:
      'The most queries that may queue. On one machine, small queries queued in the store thread count too. One reader gets at most three quarters of these places. Beyond them a query gets a 503.',
  }),
  'limits.pageBytes': integer({
    default: 16 * mebibyte,
    unit: 'bytes',
    min: 1,
    max: gibibyte,
    description: 'A page of a list ends when its items reach this size.',
  }),
  'limits.sendIdleMs': integer({
    default: 30_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description:
      'The longest that a client may read nothing of its answer. After that the service closes the connection.',
  }),
  'limits.liveReaders': integer({
    default: 1000,
    unit: 'readers',
    min: 0,
    max: 100_000,
    description: 'The most readers of live rows at once. Beyond them a reader gets a 503.',
  }),
  'limits.liveBytes': integer({
    default: 4 * mebibyte,
    unit: 'bytes',
    min: 1,
    max: gibibyte,
    description:
      'How far a reader of live rows may fall behind. With more rows waiting for it, it gets the event `behind` and is closed; it may continue with its last id.',
  }),
  'limits.liveTotalBytes': integer({
    default: 256 * mebibyte,
    small: 32 * mebibyte,
    unit: 'bytes',
    min: 1,
    max: 64 * gibibyte,
    description:
      'How much may wait in memory for all readers of live rows, half of it for those that are being closed. Beyond it the slowest readers get the event `behind` and are closed.',
  }),
  'limits.liveKeepMs': integer({
    default: 600_000,
    unit: 'milliseconds',
    min: 0,
    max: longestMs,
    description:
      'How long a reader of live rows may be disconnected and still continue with its last id. While there are readers, and for that long after the last one, the journal keeps the pushes of this time on disk.',
  }),
  'spool.answerMemoryBytes': integer({
    default: 8 * mebibyte,
    small: mebibyte,
    unit: 'bytes',
    min: 0,
    max: gibibyte,
    description: 'The most memory for one answer that is not sent yet. A larger answer goes to a temporary file.',
  }),
  'spool.memoryBytes': integer({
    default: 128 * mebibyte,
    small: 16 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 64 * gibibyte,
    description: 'Memory for all answers that are not sent yet. Beyond it, more of them go to files.',
  }),
  'spool.fileBytes': integer({
    default: 8 * gibibyte,
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description:
      'Disk space for the temporary files of all answers. Beyond it, a query whose answer needs a file gets a 503.',
  }),
} satisfies Record<string, Setting>
