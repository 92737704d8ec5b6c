// One native query: the entities that it names -> files of their rows -> answer, within the limits that all queries share. What it says
// is read where it runs, so that nothing here waits for it.
// Tested by `test/acceptance/native.test.ts`.

import type { Admission } from '../admission/admission.ts'
import { inTime, timeAllowed } from '../admission/in-time.ts'
import type { Reader } from '../admission/reader.ts'
import { AttributedAnswer } from '../answer/attributed-answer.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { type CancelSignal, nativeSignal } from '../lib/cancellation.ts'
import { systemTimer, type Timer } from '../lib/timer.ts'
import { damagedData } from '../model/damaged-data.ts'
import type { Entity } from '../model/entity.ts'
import { Problem } from '../model/problem.ts'
import { engineTable } from '../sql-engine/entity-table.ts'
import { DamagedRows, type EngineSnapshot, type EngineSnapshots } from '../sql-engine/sql-engine.ts'
import { nativeAdvice, timeoutOf } from './native-timeout.ts'
import { entityNames } from './parse/entity-names.ts'
import { readNativeBody } from './parse/read-body.ts'
import type { PlannedNative } from './plan/native-scan-plan.ts'
import { planNative } from './plan/plan-native.ts'
import { planScan } from './plan/plan-scan.ts'
import type { NamedTable } from './run/file-tables.ts'

export interface NativeQueryLimits {
  readonly queryTimeMs: number
  readonly resultRows: number
  readonly resultBytes: number
  readonly buckets: number
}

/** What a runner of native queries is given. */
export interface NativeRequest {
  /** The body of the request, as it came. */
  readonly body: Uint8Array
  /** The entities that the query names, as far as they are there and may be read. */
  readonly tables: readonly NamedTable[]
  readonly limits: Omit<NativeQueryLimits, 'queryTimeMs'>
}

/** Runs native queries, in a process of its own. Settles when the run has really ended. */
export interface NativeRunner {
  runNative(request: NativeRequest, signal: AbortSignal): Promise<Answer>
}

/** Answers from the store's own columns what can be planned so; null where it leaves a plan to the SQL engine after all. */
export interface NativePlanRunner {
  runNativePlan(plan: PlannedNative, limits: NativeRequest['limits'], signal: CancelSignal): Promise<Answer | null>
}

export interface NativeQueriesParts {
  readonly definitions: Pick<Definitions, 'entity'>
  readonly snapshots: EngineSnapshots
  readonly runner: NativeRunner
  readonly planRunner: NativePlanRunner
  /** The places that all queries share. */
  readonly admission: Admission
  /** Told of a file that cannot be read: the caller does not learn which. */
  readonly damaged: (file: Pick<DamagedRows, 'path' | 'message'>) => void
  readonly limits: NativeQueryLimits
  readonly timer?: Timer
}

export interface NativeBody {
  /** As it came: its whole numbers have all their digits. */
  readonly bytes: Uint8Array
  /** What it says of the query. */
  readonly query: unknown
}

/** A longer query would be read twice for nothing much: most of it is a list of values. */
const plannedBytesMax = 16 * 1024

export class NativeQueries {
  readonly #parts: NativeQueriesParts

  constructor(parts: NativeQueriesParts) {
    this.#parts = parts
  }

  /**
   * Answers a native query over entities that the caller may read; others are as if unknown. Whoever gets the answer releases it. Throws
   * Problem `invalid_request`, `unsupported_native_query` and `unknown_entity` with the path of the fault, `result_too_large`,
   * `too_many_buckets`, `overloaded`, `query_timeout` or `unavailable`, and the signal's reason when it is aborted.
   */
  async run({ bytes, query }: NativeBody, signal: CancelSignal, reader: Reader): Promise<Answer> {
    const { definitions, admission, runner, limits, timer = systemTimer } = this.#parts
    const entities = entityNames(query).flatMap((name) =>
      reader.mayRead(name) ? (definitions.entity(name) ?? []) : [],
    )
    const allowed = timeAllowed(timeoutOf(query), limits)
    return inTime({ signal, ...allowed, timer, advice: nativeAdvice }, async (deadline) => {
      const leave = await admission.enter('sql', reader.id, deadline)
      try {
        const planned = await this.#planned(bytes, entities, deadline)
        if (planned !== null) return new AttributedAnswer('store', planned)
        const snapshot = await this.#snapshot(entities, deadline)
        const files = new Map(snapshot.entities.map((entity) => [entity.entityId, entity.files]))
        const tables = entities.map((entity) => {
          return { name: entity.name, table: engineTable(entity, files.get(entity.id) ?? []) }
        })
        try {
          const answer = await runner.runNative({ body: bytes, tables, limits }, nativeSignal(deadline))
          return new AttributedAnswer('sql-engine', answer)
        } catch (error) {
          // The files went while they were read: nobody is at fault, and the next query finds new ones.
          if (snapshot.isLost() && !(error instanceof Problem) && !deadline.aborted) throw storeWentAway(error)
          if (error instanceof DamagedRows) {
            this.#parts.damaged(error)
            throw damagedData()
          }
          throw error
        } finally {
          snapshot.release()
        }
      } finally {
        leave()
      }
    })
  }

  /** Null where the SQL engine is to be asked. */
  async #planned(bytes: Uint8Array, entities: readonly Entity[], signal: CancelSignal): Promise<Answer | null> {
    const plan = bytes.length > plannedBytesMax ? null : planOf(bytes, entities)
    return plan === null ? null : this.#parts.planRunner.runNativePlan(plan, this.#parts.limits, signal)
  }

  async #snapshot(entities: readonly Entity[], signal: CancelSignal): Promise<EngineSnapshot> {
    if (entities.length === 0) return { entities: [], isLost: () => false, release: () => undefined }
    return this.#parts.snapshots.snapshot(
      entities.map(({ id }) => id),
      signal,
    )
  }
}

/** What is wrong with a query is told by the SQL engine's process, which reads it too. */
function planOf(bytes: Uint8Array, entities: readonly Entity[]): PlannedNative | null {
  try {
    const query = readNativeBody(bytes)
    const entityOf = (name: string): Entity | null => entities.find((entity) => entity.name === name) ?? null
    return query.kind === 'scan' ? planScan(query, entityOf) : planNative(query, entityOf)
  } catch {
    return null
  }
}

function storeWentAway(cause: unknown): Problem {
  return new Problem('unavailable', 'The store was started again while the query ran. Ask again in a moment.', {
    cause,
  })
}
