import type { Ingest } from '../../model/ingest.ts'
import type { RowMapping } from '../../model/row-mapping.ts'
import { faultsOfRow } from '../further-faults.ts'
import { membersOf, mendRow } from './mend-row.ts'
import type { RowText } from './replayed-rows.ts'

/** A property of which `set` replaces values that the ingest would accept, and the number of such rows. */
export interface Overwritten {
  readonly name: string
  readonly rows: number
  /** The id of the first of these rows. */
  readonly first: string
}

/** Good values that `set` overwrites: after such a row is stored, they are lost. */
export class OverwrittenValues {
  readonly #mapping: RowMapping
  readonly #target: Pick<Ingest, 'fields' | 'unknown'>
  readonly #found = new Map<string, { rows: number; first: string }>()

  constructor(mapping: RowMapping, target: Pick<Ingest, 'fields' | 'unknown'>) {
    this.#mapping = mapping
    this.#target = target
  }

  /** `after` is the mended row. */
  add(id: string, row: RowText, after: RowText): void {
    const { set } = this.#mapping
    if (set.size === 0) return
    const before = mendRow(row, { ...this.#mapping, set: new Map() })
    const values = new Map((membersOf(after) ?? []).map(({ key, value }) => [key, value]))
    const others = (membersOf(before) ?? []).filter(
      ({ key, value }) => set.has(key) && value !== 'null' && value !== values.get(key),
    )
    if (others.length === 0) return
    const atFault = this.#atFault(before)
    for (const { key } of others) {
      if (atFault.has(key)) continue
      const known = this.#found.get(key)
      this.#found.set(key, { rows: (known?.rows ?? 0) + 1, first: known?.first ?? id })
    }
  }

  list(): readonly Overwritten[] {
    return [...this.#found].map(([name, { rows, first }]) => ({ name, rows, first }))
  }

  #atFault({ text }: RowText): ReadonlySet<string | null> {
    return new Set([...faultsOfRow(Buffer.from(text).toString(), this.#target)].map(({ field }) => field))
  }
}
