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
      'The most buckets of time an average may answer with, each counted once, and the most ticks a snap may ask for; of a native query, the buckets that are filled.',
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
      'How many queries run at once. A fourth of them, of each kind, is kept for others than one reader: a subscriber, or an address where reading is public.',
  }),
  'limits.runningSqlQueries': integer({
    default: Math.floor(1.5 * availableParallelism()),
    defaultText: '3 for 2 cores',
    unit: 'queries',
    min: 1,
    max: 10_000,
    description:
      'How many of them may be SQL and native queries; at least one place is kept for data queries, where there are two.',
  }),
  'limits.waitingQueries': integer({
    default: 100,
    unit: 'queries',
    min: 0,
    max: 1_000_000,
    description:
      'How many queries wait for their turn, a fourth of them those of others than one reader; past that the answer is a 503.',
  }),
  'limits.pageBytes': integer({
    default: 16 * mebibyte,
    unit: 'bytes',
    min: 1,
    max: gibibyte,
    description: 'A page of a list ends early when its items take as much.',
  }),
  'limits.sendIdleMs': integer({
    default: 30_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long a reader may take nothing of its answer before it is cut off.',
  }),
  'spool.answerMemoryBytes': integer({
    default: 8 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: gibibyte,
    description: 'How much of one answer is kept in memory until it is sent; a longer one goes to a temporary file.',
  }),
  'spool.memoryBytes': integer({
    default: 128 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 64 * gibibyte,
    description:
      'How much memory the answers that are not sent yet may take together; past that more of them go to files.',
  }),
  'spool.fileBytes': integer({
    default: 8 * gibibyte,
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description: 'How much disk those files may take together; past that a query whose answer needs one is a 503.',
  }),
} satisfies Record<string, Setting>
