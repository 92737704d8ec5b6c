import type { SubscriptionEntry } from '../client/answers.ts'
import { UsageError } from './command-error.ts'

/** What subscriptions are for. */
export interface Targets {
  readonly ingest?: readonly string[]
  readonly entity?: readonly string[]
}

export interface NewSubscriptions extends Targets {
  readonly from?: string
  readonly until?: string
  readonly suspended?: boolean
}

/** One entry for each ingest and each entity, all with the same dates. Throws `UsageError` where there is none. */
export function newEntries(options: NewSubscriptions): SubscriptionEntry[] {
  const shared = {
    ...(options.from === undefined ? {} : { from: options.from }),
    ...(options.until === undefined ? {} : { until: options.until }),
    ...(options.suspended ? { suspended: true } : {}),
  }
  const entries = targetsOf(options).map((target) => ({ ...target, ...shared }))
  if (entries.length === 0) throw new UsageError('Say what to subscribe to with --ingest and --entity.')
  return entries
}

/** What is left without those ingests and entities. An entry that is for an ingest and an entity keeps the other one. */
export function withoutEntries(present: readonly SubscriptionEntry[], targets: Targets): SubscriptionEntry[] {
  const isGone = (names: readonly string[] | undefined, name: string | null | undefined): boolean =>
    typeof name === 'string' && names?.includes(name) === true
  return present.flatMap(({ ingest, entity, ...dates }) => {
    const left = {
      ...(typeof ingest === 'string' && !isGone(targets.ingest, ingest) ? { ingest } : {}),
      ...(typeof entity === 'string' && !isGone(targets.entity, entity) ? { entity } : {}),
    }
    return Object.keys(left).length === 0 ? [] : [{ ...left, ...dates }]
  })
}

/** The targets that no entry is for, as a person names them: `the ingest "a"`. */
export function missingTargets(present: readonly SubscriptionEntry[], targets: Targets): readonly string[] {
  const missing = (what: 'ingest' | 'entity') =>
    (targets[what] ?? [])
      .filter((name) => !present.some((entry) => entry[what] === name))
      .map((name) => `the ${what} "${name}"`)
  return [...missing('ingest'), ...missing('entity')]
}

function targetsOf({ ingest = [], entity = [] }: Targets): readonly SubscriptionEntry[] {
  return [...ingest.map((name) => ({ ingest: name })), ...entity.map((name) => ({ entity: name }))]
}
