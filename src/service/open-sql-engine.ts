// The process of the SQL engine: what it may take, what it may read.

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

/** Threads of the process beside those that wait for the engine: for files and answers. */
const otherThreads = 4
/**
 * The system bounds what comes too fast to be watched. Its bound is this many times what the process may hold, because not all that is
 * written to is held.
 */
const dataPerResident = 2
/** What the system counts for the stack of a thread, however little of it is used. */
const stackBytes = 8 * 1024 * 1024
/** Texts are copied from one step of a query to the next. */
const workingPerTexts = 4
/** As many as there can be. */
const poolThreadsMax = 1024

export interface SqlEngineParts {
  readonly settings: Settings
  readonly observe: Observe
  readonly unsent: UnsentAnswers
  /** What it may read of, as whole paths: the engine compares them with those of the files. */
  readonly directories: readonly string[]
  /** The whole path of a folder for what does not fit into its memory, and for answers. It is emptied when the process starts. */
  readonly scratchDirectory: string
  /** The compiled `entry.js` of the engine's process. */
  readonly sqlEntryUrl: URL
}

/** The engine is started by the first query that needs it: who asks none pays nothing for it. */
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
