// A FROM with one more column, worked out beside its rows.

import type { ColumnPlace } from './engine-names.ts'
import type { BoundFrom } from './from-context.ts'
import type { Relation, ScopeColumn } from './scope.ts'
import { type Bound, type ColumnNode, keyOf } from './tree.ts'
import { long } from './types.ts'

type Widened = Pick<BoundFrom, 'node' | 'relations'> & { readonly value: Bound }

/** The same rows and names as one relation of the engine, which has the value as a column too. */
export function withColumn({ node: from, relations }: BoundFrom, value: Bound, relation: number): Widened {
  const outputs: Bound[] = []
  const places = new Map<string, number>()
  const moved = (node: Bound): ColumnNode => {
    const key = keyOf(node)
    const column = places.get(key) ?? outputs.push(node) - 1
    places.set(key, column)
    const { type, place } = node
    return { kind: 'column', at: { relation, column }, name: node.kind === 'column' ? node.name : '', type, place }
  }
  const movedPlace = (at: ColumnPlace, { place }: Bound): ColumnPlace =>
    moved({ kind: 'column', at, name: '', type: long, place }).at
  const movedColumn = (column: ScopeColumn): ScopeColumn => {
    const own = moved(column.value)
    const inFiles = column.value.kind === 'column' ? column.value.inFiles : undefined
    const files = inFiles ? { ...own, inFiles: movedPlace(inFiles, own) } : own
    return { ...column, value: files }
  }
  const movedRelations = relations.map(
    ({ columns, position, shared, ...rest }): Relation => ({
      ...rest,
      columns: columns.map(movedColumn),
      ...(position === undefined ? {} : { position: movedPlace(position, value) }),
      ...(shared === undefined ? {} : { shared: new Map([...shared].map(([name, item]) => [name, moved(item)])) }),
    }),
  )
  const added = moved(value)
  return { node: { kind: 'widened', from, outputs, relation }, relations: movedRelations, value: added }
}
