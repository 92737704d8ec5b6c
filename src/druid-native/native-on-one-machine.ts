// Runs a native query on one machine: on the store's own columns, or else in the SQL engine. The body is parsed where it runs, so that this
// thread does not wait for it.
// Tested by `test/acceptance/native.test.ts`.

import type { Engine, QueryLimits } from '../admission/queries.ts'
import type { Answer } from '../answer/whole-answer.ts'
import { type CancelSignal, nativeSignal } from '../lib/cancellation.ts'
import type { Entity } from '../model/entity.ts'
import type { PlanLimits } from '../model/plan.ts'
import { type EntityFilesParts, onTables } from '../sql-engine/entity-table.ts'
import type { NativeEngines } from './native-language.ts'
import { readNativeBody } from './parse/read-body.ts'
import type { PlannedNative, PlannedNativeQuery } from './plan/native-plan.ts'
import { planNative } from './plan/plan-native.ts'
import { planScan } from './plan/plan-scan.ts'
import type { NamedTable } from './run/file-tables.ts'
import { requireRowsOf } from './run/needed-rows.ts'

/** The input of the SQL engine's process. */
export interface NativeRequest {
  /** The request body as received. */
  readonly body: Uint8Array
  /** The entities named in the query that exist and that the caller may read. */
  readonly tables: readonly NamedTable[]
  readonly limits: PlanLimits
}

/** Runs native queries in a separate process. Settles only after the run has ended. */
export interface NativeRunner {
  runNative(request: NativeRequest, signal: AbortSignal): Promise<Answer>
}

/** Runs plans on the store's own columns; returns null if the SQL engine must run the query after all. */
export interface NativePlanRunner {
  run(question: PlannedNativeQuery, limits: PlanLimits, signal: CancelSignal): Promise<Answer | null>
}

export interface NativeOnOneMachineParts extends EntityFilesParts {
  readonly store: NativePlanRunner
  readonly sqlEngine: NativeRunner
  readonly limits: QueryLimits
}

/** Longer queries are mostly lists of values; parsing them twice would gain little. */
const plannedBytesMax = 16 * 1024

export class NativeOnOneMachine implements NativeEngines {
  readonly #parts: NativeOnOneMachineParts

  constructor(parts: NativeOnOneMachineParts) {
    this.#parts = parts
  }

  of(bytes: Uint8Array, entities: readonly Entity[]): readonly Engine[] {
    return [
      { name: 'store', answer: (deadline) => this.#byStore(bytes, entities, deadline) },
      { name: 'sql-engine', answer: (deadline) => this.#bySqlEngine(bytes, entities, deadline) },
    ]
  }

  async #byStore(bytes: Uint8Array, entities: readonly Entity[], signal: CancelSignal): Promise<Answer | null> {
    const { store, limits } = this.#parts
    const plan = bytes.length > plannedBytesMax ? null : planOf(bytes, entities)
    return plan && store.run({ language: 'native', plan }, limits, signal)
  }

  async #bySqlEngine(body: Uint8Array, entities: readonly Entity[], signal: CancelSignal): Promise<Answer> {
    requireRowsOf(entities, body)
    const { sqlEngine, limits } = this.#parts
    return onTables(entities, this.#parts, signal, (tables) => {
      const named = tables.map((table, at) => ({ name: entities[at]!.name, table }))
      return sqlEngine.runNative({ body, tables: named, limits }, nativeSignal(signal))
    })
  }
}

/** Null if the query is invalid: the SQL engine's process parses it too and reports the error. */
function planOf(bytes: Uint8Array, entities: readonly Entity[]): PlannedNative | null {
  try {
    const query = readNativeBody(bytes)
    const entityOf = (name: string): Entity | null => entities.find((entity) => entity.name === name) ?? null
    return query.kind === 'scan' ? planScan(query, entityOf) : planNative(query, entityOf)
  } catch {
    return null
  }
}
