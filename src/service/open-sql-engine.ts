// The process of the SQL engine: its resource limits, and the folders that it may read.

import { join } from 'node:path'
import type { UnsentAnswers } from '../answer/unsent-answers.ts'
import type { Settings } from '../config/settings.ts'
import { zoneFilesInForce } from '../druid-time/zone-rules.ts'
import { restartDelayMs } from '../lib/actor/actor.ts'
import type { Observe } from '../observe/event.ts'
import { launchEngine } from '../sql-process/main-side/launch.ts'
import { SqlProcess } from '../sql-process/main-side/sql-process.ts'
import type { SqlProcessData } from '../sql-process/protocol.ts'
import type { Closer } from './open-storage.ts'

/** Threads of the process in addition to those that wait for the engine: for files and answers. */
const otherThreads = 4
/**
 * The operating system stops growth that is too fast to be monitored. Its limit is this multiple of the memory that the process may hold, because not all
 * writable memory is held.
 */
const dataPerResident = 2
/** The memory that the system counts for the stack of a thread, however little of it is used. */
const stackBytes = 8 * 1024 * 1024
/** Strings may take the working memory divided by this, because they are copied from one step of a query to the next. */
const workingPerTexts = 4
/** The largest possible thread pool. */
const poolThreadsMax = 1024

export interface SqlEngineParts {
  readonly settings: Settings
  readonly observe: Observe
  readonly unsent: UnsentAnswers
  /** The folders that it may read, as absolute paths: the engine compares them with the paths of files. */
  readonly directories: readonly string[]
  /** The absolute path of a folder for answers and for data that does not fit into its memory. It is emptied when the process starts. */
  readonly scratchDirectory: string
  /** The compiled `entry.js` of the engine's process. */
  readonly sqlEntryUrl: URL
}

/** The engine is started by the first query that needs it. Without such a query it costs nothing. */
export function openSqlEngine(
  { settings, observe, unsent, directories, scratchDirectory, sqlEntryUrl }: SqlEngineParts,
  closers: Closer[],
): SqlProcess {
  const { memoryBytes, workingBytes, temporaryBytes, threads, idleMs, cancelMs } = settings.sql
  const residentBytes = memoryBytes + workingBytes
  const poolThreads = Math.min(poolThreadsMax, settings.limits.runningQueries + otherThreads)
  const dataIn = (folder: string): SqlProcessData => ({
    engine: {
      directories,
      temporaryDirectory: join(folder, 'temporary'),
      temporaryBytes,
      memoryBytes,
      textBytes: workingBytes / workingPerTexts,
      threads,
    },
    spoolDirectory: join(folder, 'answers'),
    residentBytes,
    timeZones: zoneFilesInForce(),
  })
  const engine = new SqlProcess({
    launch: launchEngine,
    entryUrl: sqlEntryUrl,
    data: dataIn(scratchDirectory),
    apart: dataIn(join(scratchDirectory, 'apart')),
    dataBytes: residentBytes * dataPerResident + (poolThreads + threads) * stackBytes,
    poolThreads,
    restartDelayMs,
    idleMs,
    cancelMs,
    unsent,
    started: (processId, ms) => observe({ kind: 'sqlEngineStarted', processId, ms }),
    refused: (message) => observe({ kind: 'sqlEngineRefused', message }),
    died: (message, restartInMs) => observe({ kind: 'sqlEngineDied', message, restartInMs }),
  })
  closers.push(() => engine.close())
  return engine
}
