import { epochUnits } from './epoch.ts'
import type { Ingest } from './ingest.ts'

/** How the values of a property are converted; `src/ingest/replay/mend-row.ts` does it. */
export const conversions = ['number', 'decimal_comma', 'text', 'boolean', 'iso', ...epochUnits] as const
export type Conversion = (typeof conversions)[number]

/** How a row is mended, in this order; names in all but `drop` and `rename` are those after `rename`. What cannot be done to a row is left undone. */
export interface RowMapping {
  /** Properties that are left out, by the names that were pushed. */
  readonly drop: ReadonlySet<string>
  readonly rename: ReadonlyMap<string, string>
  /** The values as JSON. */
  readonly set: ReadonlyMap<string, string>
  /** As `set`, of rows that have nothing there, or null. */
  readonly setMissing: ReadonlyMap<string, string>
  readonly convert: ReadonlyMap<string, Conversion>
}

/** A name of a mapping that no row has, and the one that was likely meant. */
export interface UnusedName {
  readonly of: 'drop' | 'rename' | 'convert'
  readonly name: string
  readonly likely: string | null
}

/** What is changed of rejected rows before they are validated again: nothing where it is left out. */
export interface Repair {
  /** The ingest that they are validated for, and stored in, in place of their own. */
  readonly into?: Ingest
  readonly mapping?: RowMapping
}
