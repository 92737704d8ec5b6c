// JOIN ... USING: which columns are compared, and which of each two goes under their name.

import { coalesced } from '../functions/values.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import type { Join } from '../parse/syntax.ts'
import { compared } from './bind-truth.ts'
import { type Relation, reference, type ScopeColumn } from './scope.ts'
import type { Bound } from './tree.ts'

interface Side {
  readonly relations: readonly Relation[]
}

/** The conditions of a join by columns of one name, and what its columns go by then. */
export function joinedUsing(
  from: Join,
  left: Side,
  right: Side,
): { readonly on: readonly Bound[]; readonly relations: readonly Relation[] } {
  const pairs = sharedColumns(from, left, right).map(({ name, place }) => ({
    name,
    left: columnNamed(left.relations, name, place),
    right: columnNamed(right.relations, name, place),
    place,
  }))
  const on = pairs.map(({ left: one, right: other, place }) =>
    compared(place, reference(one, one.name, place), '=', reference(other, other.name, place), { isFilter: false }),
  )
  const names = new Set(pairs.map((pair) => pair.name))
  // One of the two columns goes under the common name: that of the side whose rows are all kept.
  const [kept, hidden] = from.type === 'RIGHT' ? [right.relations, left.relations] : [left.relations, right.relations]
  const merged = hidden.map((relation) => ({ ...relation, merged: new Set([...relation.merged, ...names]) }))
  const shown = from.type === 'FULL' ? kept.map((relation) => withBoth(relation, pairs)) : kept
  const relations = from.type === 'RIGHT' ? [...merged, ...shown] : [...shown, ...merged]
  return { on, relations }
}

interface Pair {
  readonly left: ScopeColumn
  readonly right: ScopeColumn
  readonly place: Place
}

function withBoth(relation: Relation, pairs: readonly Pair[]): Relation {
  const shared = new Map(relation.shared)
  for (const { left, right, place } of pairs) {
    if (relation.columns.includes(left)) shared.set(left.name, coalesced(place, [left.value, right.value]))
  }
  return { ...relation, shared }
}

function sharedColumns(
  from: Join,
  left: Side,
  right: Side,
): readonly { readonly name: string; readonly place: Place }[] {
  if (from.using !== 'natural') return from.using ?? []
  const names = new Set(left.relations.flatMap((relation) => relation.columns.map((column) => column.name)))
  return right.relations
    .flatMap((relation) => relation.columns)
    .filter((column) => names.has(column.name))
    .map(({ name }) => ({ name, place: from.place }))
}

function columnNamed(relations: readonly Relation[], name: string, place: Place): ScopeColumn {
  const found = relations.flatMap((relation) =>
    relation.merged.has(name) ? [] : relation.columns.filter((column) => column.name === name),
  )
  if (found.length === 1) return found[0]!
  throw sqlProblem(
    place,
    found.length === 0
      ? `column ${quoted(name)} is not on both sides of the join`
      : `column ${quoted(name)} is ambiguous on one side of the join`,
  )
}
