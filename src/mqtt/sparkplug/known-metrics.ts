import { needsDatatype } from './metric-value.ts'
import type { Metric, Payload } from './sparkplug-payload.ts'

/** What a birth says of its metrics: their names by alias, their data types by name. */
export class KnownMetrics {
  readonly #names = new Map<bigint, string>()
  readonly #datatypes = new Map<string, number>()

  constructor({ metrics }: Payload) {
    for (const { name, alias, datatype } of metrics) {
      if (name === undefined) continue
      if (alias !== undefined) this.#names.set(alias, name)
      if (datatype !== undefined) this.#datatypes.set(name, datatype)
    }
  }

  /** A birth without metrics takes room too. */
  get size(): number {
    return 1 + this.#names.size + this.#datatypes.size
  }

  nameOf(alias: bigint): string | undefined {
    return this.#names.get(alias)
  }

  datatypeOf(name: string): number | undefined {
    return this.#datatypes.get(name)
  }
}

/** Whether a metric can be read with what is known: its name, and the type of a whole number. */
export function isReadable(metric: Metric, known: KnownMetrics | undefined): boolean {
  const { name, alias } = metric
  // Neither a name nor an alias: no birth makes it better.
  if (name === undefined && alias === undefined) return true
  const found = name ?? known?.nameOf(alias!)
  return found !== undefined && (!needsDatatype(metric) || known?.datatypeOf(found) !== undefined)
}
