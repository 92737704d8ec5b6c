// Where a query reads items of metadata, which of their columns it uses, and which conditions it makes on them alone.

import { Zone } from '../../druid-time/zone.ts'
import type { ItemCondition } from '../items/item-condition.ts'
import { itemConditions, type NamedItemColumn } from '../items/read-condition.ts'
import type { Expression, TableExpression } from '../parse/syntax.ts'
import { ownColumn, type Relation } from './scope.ts'
import type { SqlTable } from './tables.ts'

/** What a query needs of the items of one table. */
export interface NeededItems {
  readonly entityId: number
  /** The columns, in order. */
  readonly places: readonly number[]
  /** What items must meet to be used anywhere in the query; null where all of them may be. */
  readonly condition: ItemCondition | null
  /** At how many places the query names the table. */
  readonly uses: number
}

interface ItemUse {
  readonly table: SqlTable
  /** Whether its columns go by other names, all of them at once. */
  readonly renames: boolean
  readonly conditions: ItemCondition[]
}

const columnForm = /^r(\d+)\.c(\d+)$/
const columnForms = /\br(\d+)\.c(\d+)\b/g

export class ItemUses {
  /** By the numbers of their relations. */
  readonly #uses = new Map<number, ItemUse>()
  readonly #zone: Zone

  /** `zone` is the one of the query's texts of times. */
  constructor(zone: Zone) {
    this.#zone = zone
  }

  add(relation: number, table: SqlTable, renames: boolean): void {
    this.#uses.set(relation, { table, renames, conditions: [] })
  }

  /**
   * Notes a condition of WHERE or ON. It is made on these relations; those of `among` go without the rows that do not meet it. `nullsToo` says that no join
   * has filled their columns with nulls.
   */
  note(expression: Expression, relations: readonly Relation[], among: readonly Relation[], nullsToo: boolean): void {
    if (this.#uses.size === 0) return
    const find = (path: readonly string[]): NamedItemColumn | null => {
      const found = ownColumn(relations, path)
      const [, relation, column] = columnForm.exec(found?.sql.text ?? '') ?? []
      if (found === null || relation === undefined || !this.#uses.has(Number(relation))) return null
      // Conditions are read in UTC: those on times of other zones are the engine's alone.
      if (found.type.kind === 'timestamp' && this.#zone !== Zone.utc) return null
      return { relation: Number(relation), column: Number(column), type: found.type }
    }
    const reach = new Set(among.map(numberOf))
    for (const { relation, condition } of itemConditions(expression, find, nullsToo)) {
      if (reach.has(relation)) this.#uses.get(relation)!.conditions.push(condition)
    }
  }

  /** What the whole statement needs, as the engine's SQL says; a literal that looks like a column only asks for more. */
  needed(statement: string): readonly NeededItems[] {
    const used = new Map<number, Set<number>>()
    for (const [, relation, column] of statement.matchAll(columnForms)) {
      const columns = used.get(Number(relation)) ?? new Set()
      used.set(Number(relation), columns.add(Number(column)))
    }
    const tables = new Map<SqlTable, number[]>()
    for (const [relation, { table }] of this.#uses) tables.set(table, [...(tables.get(table) ?? []), relation])
    return [...tables].map(([table, relations]) => this.#neededOf(table, relations, used))
  }

  #neededOf(
    table: SqlTable,
    relations: readonly number[],
    used: ReadonlyMap<number, ReadonlySet<number>>,
  ): NeededItems {
    const uses = relations.map((relation) => this.#uses.get(relation)!)
    const isUsed = (place: number): boolean =>
      uses.some(({ renames }) => renames) || relations.some((relation) => used.get(relation)?.has(place))
    const places = table.columns.flatMap((_column, place) => (isUsed(place) ? [place] : []))
    const all = uses.every(({ conditions }) => conditions.length > 0)
    const each = uses.map(({ conditions }): ItemCondition => ({ kind: 'all', conditions }))
    return {
      entityId: table.entityId,
      // Rows have to be counted by something.
      places: places.length > 0 ? places : [0],
      condition: all ? { kind: 'any', conditions: each } : null,
      uses: uses.length,
    }
  }
}

/** The number of a relation, as its columns have it; columns that were made of two, or turned, have none. */
function numberOf({ columns }: Relation): number {
  for (const { sql } of columns) {
    const [, relation] = columnForm.exec(sql.text) ?? []
    if (relation !== undefined) return Number(relation)
  }
  return 0
}

/** Whether no join in it fills columns with nulls. */
export function isInner(from: TableExpression): boolean {
  if (from.kind !== 'join') return true
  return (from.type === 'INNER' || from.type === 'CROSS') && isInner(from.left) && isInner(from.right)
}
