import { epochUnits } from './epoch.ts'
import type { Ingest } from './ingest.ts'

/** Conversions of a property's values, implemented by `src/ingest/replay/mend-row.ts`. */
export const conversions = ['number', 'decimal_comma', 'text', 'boolean', 'iso', ...epochUnits] as const
export type Conversion = (typeof conversions)[number]

/** Changes to a row, in the order of application. All names except those in `drop` and `rename` are names after `rename`. Inapplicable changes are skipped. */
export interface RowMapping {
  /** Properties to remove, by their pushed names. */
  readonly drop: ReadonlySet<string>
  readonly rename: ReadonlyMap<string, string>
  /** JSON value by property name. */
  readonly set: ReadonlyMap<string, string>
  /** As `set`, but only for rows in which the property is missing or null. */
  readonly setMissing: ReadonlyMap<string, string>
  readonly convert: ReadonlyMap<string, Conversion>
}

/** A name in a mapping that no row has, and the name that was probably meant; null if there is none. */
export interface UnusedName {
  readonly of: 'drop' | 'rename' | 'convert'
  readonly name: string
  readonly likely: string | null
}

/** Changes to rejected rows before they are validated again; an omitted part changes nothing. */
export interface Repair {
  /** The ingest to validate against and store in, instead of the original one. */
  readonly into?: Ingest
  readonly mapping?: RowMapping
}
