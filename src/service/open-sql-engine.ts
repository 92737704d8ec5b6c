// The process of the SQL engine: what it may take, what it may read.
import { join, resolve } from 'node:path'
import type { Settings } from '../config/settings.ts'
import type { Observe } from '../observe/event.ts'
import { SqlProcess } from '../sql-process/sql-process.ts'
import { type Closer, dataPaths, type Storage } from './open-storage.ts'

/** Threads of the process beside those that wait for the engine: for files and answers. */
const otherThreads = 4
/** As many as there can be. */
const poolThreadsMax = 1024

export interface SqlEngineParts {
  readonly settings: Settings
  readonly observe: Observe
  readonly storage: Pick<Storage, 'store'>
  /** The compiled `entry.js` of the engine's process. */
  readonly sqlEntryUrl: URL
}

/** The engine is started by the first query that needs it: who asks none pays nothing for it. */
export function openSqlEngine(
  { settings, observe, storage, sqlEntryUrl }: SqlEngineParts,
  closers: Closer[],
): SqlProcess {
  // Whole paths: the engine compares them with those of the files.
  const paths = dataPaths(resolve(settings.data))
  const { memoryBytes, temporaryBytes, threads, restartDelayMs, cancelMs } = settings.sql
  const engine = new SqlProcess({
    entryUrl: sqlEntryUrl,
    data: {
      engine: {
        directories: [paths.store, paths.deltas],
        temporaryDirectory: join(paths.engine, 'temporary'),
        temporaryBytes,
        memoryBytes,
        threads,
      },
      spoolDirectory: join(paths.engine, 'answers'),
    },
    poolThreads: Math.min(poolThreadsMax, settings.limits.runningQueries + otherThreads),
    restartDelayMs,
    cancelMs,
    unsent: storage.store.unsent,
    started: (processId, ms) => observe({ kind: 'sqlEngineStarted', processId, ms }),
    died: (message) => observe({ kind: 'sqlEngineDied', message, restartInMs: restartDelayMs }),
  })
  closers.push(() => engine.close())
  return engine
}
