// The settings of query threads: a part of the table in settings.ts.
import { availableParallelism } from 'node:os'
import { gibibyte, mebibyte } from './measures.ts'
import { integer, type Setting } from './setting.ts'

/** The main thread and the store's thread have a core each; of two, the store's thread leaves half of its own. */
function coresToSpare(): number {
  const cores = availableParallelism()
  return cores === 1 ? 0 : Math.min(8, Math.max(1, cores - 2))
}

export const querySettings = {
  'query.threads': integer({
    default: coresToSpare(),
    defaultText: 'one a core but two, 1 to 8; 0 on one core',
    unit: null,
    min: 0,
    max: 256,
    description:
      "How many threads answer large queries about dates of which all rows are in files, while the store's thread answers others. Each is started when there is work for it (`engine=embedded`).",
  }),
  'query.threadCacheBytes': integer({
    default: 128 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 64 * gibibyte,
    description:
      'How much memory the caches of each of these threads take: three quarters decoded pages, one quarter indexes.',
  }),
  'query.mirrorBytes': integer({
    default: 64 * mebibyte,
    unit: 'bytes',
    min: 0,
    max: 64 * gibibyte,
    description:
      "How much memory the main thread takes to answer small data queries itself: half of it for the newest rows and the series, half for caches. What does not fit, the store's thread answers. With 0 it answers all (`engine=embedded`).",
  }),
} satisfies Record<string, Setting>
