// The engine's side of the process, with a composition root of its own, as the store's thread has.
// Tested by `test/faults/sql-process.test.ts`.

import { rm } from 'node:fs/promises'
import type { AnswerData } from '../../answer/answer-data.ts'
import { clearSpool } from '../../answer/spool.ts'
import { type AnswerSettings, storeRows } from '../../answer/store-rows.ts'
import { storeText } from '../../answer/store-text.ts'
import { readNativeBody } from '../../druid-native/parse/read-body.ts'
import { FileDays } from '../../druid-native/run/file-days.ts'
import { FileTables } from '../../druid-native/run/file-tables.ts'
import { runNative } from '../../druid-native/run/run-native.ts'
import { useZoneFiles } from '../../druid-time/zone-rules.ts'
import { messageOf } from '../../lib/message-of.ts'
import { nodeDisk } from '../../lib/node-disk.ts'
import { makePrivateFolder } from '../../lib/private-files.ts'
import { Problem } from '../../model/problem.ts'
import { DuckdbEngine } from '../../sql-engine/duckdb/duckdb-engine.ts'
import { DamagedRows, LongOverflow, OutOfMemory, type SqlEngine } from '../../sql-engine/sql-engine.ts'
import { openBlocking } from '../../store/embedded/sealed/blocking-file.ts'
import { checkBytes } from '../../store/embedded/sealed/check-bytes.ts'
import { DamagedFileError } from '../../store/embedded/sealed/damaged-file.ts'
import type { FromSqlProcess, NativeRun, SentFailure, SqlProcessData, SqlRun, ToSqlProcess } from '../protocol.ts'
import { CheckedEngine } from './checked-engine.ts'
import { FileChecks } from './file-checks.ts'

/** How long writing one answer may block the others. */
const sliceMs = 5

type Send = (message: FromSqlProcess) => void

/** Handles the server's messages until the server exits. */
export class QueryServer {
  readonly #send: Send
  readonly #end: () => void
  readonly #running = new Map<number, AbortController>()
  #engine: SqlEngine | null = null
  #memory: MemoryWatch | null = null
  #spoolDirectory = ''
  readonly #days = new FileDays()

  /** `end` ends the process; the server then starts a new one. */
  constructor(send: Send, end: () => void) {
    this.#send = send
    this.#end = end
  }

  async take(message: ToSqlProcess): Promise<void> {
    switch (message.kind) {
      case 'start':
        return this.#start(message)
      case 'cancel':
        this.#running.get(message.id)?.abort(new Error('the query was cancelled'))
        return
      case 'run':
      case 'native':
        return this.#run(message)
    }
  }

  async #start({ engine, spoolDirectory, residentBytes, timeZones }: SqlProcessData): Promise<void> {
    useZoneFiles(timeZones)
    await clearSpool(spoolDirectory)
    // Removes the files that a killed process did not remove.
    await rm(engine.temporaryDirectory, { recursive: true, force: true })
    makePrivateFolder(engine.temporaryDirectory)
    this.#spoolDirectory = spoolDirectory
    this.#engine = new CheckedEngine(await DuckdbEngine.open(engine), new FileChecks(checkFile, this.#checked))
    this.#memory = new MemoryWatch(residentBytes, process.memoryUsage.rss, (held) => this.#spent(held))
    this.#send({ kind: 'ready' })
  }

  async #run({ id, ...run }: (SqlRun | NativeRun) & { readonly id: number }): Promise<void> {
    const controller = new AbortController()
    this.#running.set(id, controller)
    this.#memory?.begin()
    try {
      const { signal } = controller
      const answer = await (run.kind === 'native' ? this.#native(run, signal) : this.#answer(run, signal))
      this.#send({ kind: 'answer', id, answer })
    } catch (error) {
      // After a fatal error the engine runs no more queries.
      if (error instanceof Error && /^FATAL Error/.test(error.message)) this.#end()
      // If the system refuses memory once, it refuses it to all queries: the allocator keeps the memory it has.
      if (error instanceof OutOfMemory && error.isOfSystem) return this.#spent(process.memoryUsage.rss())
      this.#send({ kind: 'failed', id, failure: sentFailure(error) })
    } finally {
      this.#running.delete(id)
      this.#memory?.end()
    }
  }

  readonly #checked = (path: string): void => this.#send({ kind: 'checked', path })

  #spent(residentBytes: number): void {
    this.#send({ kind: 'spent', residentBytes })
  }

  #answer({ query, fields, format, limits, budget }: SqlRun, signal: AbortSignal): Promise<AnswerData> {
    const batches = this.#started.run(query, limits, signal)
    const output = { format, resultBytes: limits.resultBytes, budget }
    return storeRows({ fields, batches }, output, this.#settings, signal)
  }

  async #native({ body, tables, limits, budget }: NativeRun, signal: AbortSignal): Promise<AnswerData> {
    const engine = new FileTables({ engine: this.#started, tables, days: this.#days, signal })
    const { resultRows: rowsMax, resultBytes, buckets: bucketsMax } = limits
    const pieces = runNative(readNativeBody(body), engine, { rowsMax, bucketsMax, bytesMax: resultBytes })
    const stored = await storeText(pieces, { resultBytes, budget }, this.#settings, signal)
    return { ...stored, rows: engine.rows }
  }

  get #started(): SqlEngine {
    if (this.#engine === null) throw new Error('a query came before the engine was started')
    return this.#engine
  }

  get #settings(): AnswerSettings {
    return { sliceMs, spoolDirectory: this.#spoolDirectory }
  }
}

async function checkFile(path: string, checkedBy: string): Promise<void> {
  try {
    await checkBytes({ parquet: path, index: checkedBy }, nodeDisk, openBlocking)
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error
    throw new DamagedRows(error.path, error.message)
  }
}

function sentFailure(error: unknown): SentFailure {
  const message = messageOf(error)
  const isOverflow = error instanceof LongOverflow
  const isOutOfMemory = error instanceof OutOfMemory
  const damagedPath = error instanceof DamagedRows ? error.path : null
  if (!(error instanceof Problem)) {
    return { code: null, message, errors: undefined, isOverflow, isOutOfMemory, damagedPath, engineWords: null }
  }
  const engineWords = error.cause instanceof Error ? error.cause.message : null
  return { code: error.code, message, errors: error.errors, isOverflow, isOutOfMemory, damagedPath, engineWords }
}

/** Interval of the memory checks. A query allocates little within it compared with the limit of the process. */
const everyMs = 50

/** Checks the resident memory of the process while queries run. */
class MemoryWatch {
  readonly #maxBytes: number
  readonly #residentBytes: () => number
  readonly #passed: (residentBytes: number) => void
  #running = 0
  #timer: NodeJS.Timeout | null = null

  /** `passed` is called at each check that finds more than `maxBytes`. */
  constructor(maxBytes: number, residentBytes: () => number, passed: (residentBytes: number) => void) {
    this.#maxBytes = maxBytes
    this.#residentBytes = residentBytes
    this.#passed = passed
  }

  /** A query starts; `end` must be called once for each. */
  begin(): void {
    this.#running += 1
    this.#timer ??= setInterval(() => this.#check(), everyMs)
  }

  end(): void {
    this.#running -= 1
    if (this.#running > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
    this.#check()
  }

  #check(): void {
    const held = this.#residentBytes()
    if (held > this.#maxBytes) this.#passed(held)
  }
}
