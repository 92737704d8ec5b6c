// A native query on one machine: by the store's own columns, else by the SQL engine. What it says is read where it runs, so that nothing here
// waits for it.
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

/** What the SQL engine's process is given. */
export interface NativeRequest {
  /** The body of the request, as it came. */
  readonly body: Uint8Array
  /** The entities that the query names, as far as they are there and may be read. */
  readonly tables: readonly NamedTable[]
  readonly limits: PlanLimits
}

/** Runs native queries, in a process of its own. Settles when the run has really ended. */
export interface NativeRunner {
  runNative(request: NativeRequest, signal: AbortSignal): Promise<Answer>
}

/** Answers from the store's own columns; null where it leaves a plan to the SQL engine after all. */
export interface NativePlanRunner {
  run(question: PlannedNativeQuery, limits: PlanLimits, signal: CancelSignal): Promise<Answer | null>
}

export interface NativeOnOneMachineParts extends EntityFilesParts {
  readonly store: NativePlanRunner
  readonly sqlEngine: NativeRunner
  readonly limits: QueryLimits
}

/** A longer query would be read twice for nothing much: most of it is a list of values. */
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
