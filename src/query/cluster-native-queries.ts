// One native query on a cluster: checked as on one machine, written again over our data sources, and sent to Druid.
import type { Definitions } from '../catalog/definitions.ts'
import type { Admission } from './admission.ts'
import { inTime, systemTimer } from './in-time.ts'
import { druidNative } from './native/druid/druid-native.ts'
import { entityNames } from './native/tree/entity-names.ts'
import type { NativeBody, NativeQueryLimits } from './native-queries.ts'
import { nativeAdvice, timeoutOf } from './native-timeout.ts'
import type { MayRead } from './queries.ts'
import type { Answer } from './query-runner.ts'
import type { RunSettings } from './run-plan.ts'
import { storeText } from './store-text.ts'
import type { UnsentAnswers } from './unsent-answers.ts'

/** Runs native queries that our own code wrote; the answer comes in pieces of JSON. */
export interface DruidNatives {
  native(query: object, signal: AbortSignal): AsyncIterable<string>
}

export interface ClusterNativeQueriesParts {
  readonly definitions: Pick<Definitions, 'entity'>
  readonly engine: DruidNatives
  readonly clusterName: string
  readonly admission: Admission
  readonly limits: Pick<NativeQueryLimits, 'queryTimeMs' | 'resultBytes'>
  readonly unsent: UnsentAnswers
  readonly settings: RunSettings
}

export class ClusterNativeQueries {
  readonly #parts: ClusterNativeQueriesParts

  constructor(parts: ClusterNativeQueriesParts) {
    this.#parts = parts
  }

  /** As `NativeQueries.run`. Druid does not say how many rows an answer has: `limits.resultBytes` bounds it. */
  async run({ bytes, query }: NativeBody, signal: AbortSignal, mayRead: MayRead): Promise<Answer> {
    const { definitions, engine, clusterName, admission, limits, unsent, settings } = this.#parts
    const entities = entityNames(query).flatMap((name) => (mayRead(name) ? (definitions.entity(name) ?? []) : []))
    const rewritten = druidNative(bytes, entities, clusterName)
    const { resultBytes } = limits
    const queryTimeMs = Math.min(limits.queryTimeMs, timeoutOf(query))
    return inTime({ signal, queryTimeMs, timer: systemTimer, advice: nativeAdvice }, async (deadline) => {
      await admission.enter(deadline)
      try {
        const pieces = engine.native(rewritten, deadline)
        const stored = await storeText(pieces, { resultBytes, room: unsent.room() }, settings, deadline)
        return unsent.open({ ...stored, rows: 0 })
      } finally {
        admission.leave()
      }
    })
  }
}
