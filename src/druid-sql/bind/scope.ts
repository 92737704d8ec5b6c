// Resolves names at one place of a query.

import { addTo } from '../../lib/add-to.ts'
import { type Place, quoted, sqlProblem, thereAre } from '../parse/sql-problem.ts'
import type { ColumnPlace } from './engine-names.ts'
import type { SqlSchema } from './tables.ts'
import { type Bound, columnOfValues, keyOf, type QueryColumn, storedColumn } from './tree.ts'
import { long } from './types.ts'

export interface ScopeColumn extends QueryColumn {
  /** A column of the engine, or the combination of two columns that a join merges. */
  readonly value: Bound
}

/** A table, subquery or common table in FROM, under its name there. */
export interface Relation {
  readonly name: string | null
  readonly columns: readonly ScopeColumn[]
  /** Orders rows of the same time by when they were pushed; only if the relation is an entity itself. */
  readonly position?: ColumnPlace | undefined
  /** The schema that may qualify the relation's name; `druid` where it is left out. */
  readonly schema?: SqlSchema
  /** Columns that a USING merged with those of another relation. They are found only when qualified by the relation's name. */
  readonly merged: ReadonlySet<string>
  /** The values of merged columns when they are named without the relation, where a row may be missing on one side of the join. */
  readonly shared?: ReadonlyMap<string, Bound>
}

export interface Scope {
  readonly relations: readonly Relation[]
  /** The scope of the enclosing query. */
  readonly parent: Scope | null
}

/** The columns of `SELECT *`, in order. */
export function starColumns(scope: Scope, table: string | null, place: Place): readonly ScopeColumn[] {
  if (table === null) {
    return scope.relations.flatMap((relation) => sharedColumns(relation))
  }
  const relation = scope.relations.find(({ name }) => name === table)
  if (relation === undefined) throw sqlProblem(place, `there is no table ${quoted(table)} in this FROM`)
  return relation.columns
}

/** The columns of a relation that are visible without its name. */
function sharedColumns(relation: Relation): readonly ScopeColumn[] {
  return relation.columns.filter(({ name }) => !relation.merged.has(name)).map((column) => asShared(column, relation))
}

function asShared(column: ScopeColumn, { shared }: Relation): ScopeColumn {
  const value = shared?.get(column.name)
  return value === undefined ? column : { ...column, value }
}

const namesOf = new WeakMap<Relation, ReadonlyMap<string, readonly ScopeColumn[]>>()

/** Looked up by an index: a query may name thousands of columns, of tables with thousands of them. */
function columnsNamed(relation: Relation, name: string): readonly ScopeColumn[] {
  let known = namesOf.get(relation)
  if (known === undefined) {
    known = byName(relation)
    namesOf.set(relation, known)
  }
  return known.get(name) ?? []
}

function byName({ columns }: Relation): ReadonlyMap<string, readonly ScopeColumn[]> {
  const found = new Map<string, ScopeColumn[]>()
  for (const column of columns) {
    addTo(found, column.name, column)
  }
  return found
}

/** The time and position that order the rows of the relation of an unqualified `__time`; null where the position is not known. */
export function pushedIn({ relations }: Scope): { readonly time: Bound; readonly position: Bound } | null {
  for (const { columns, position } of relations) {
    const time = columns.find(({ name }) => name === '__time')
    if (time === undefined) continue
    const { value } = time
    if (position === undefined) return null
    return { time: value, position: { kind: 'column', at: position, name: '', type: long, place: value.place } }
  }
  return null
}

/** Finds a column by name, with or without its table's name. Throws a Problem where there is none, or more than one. */
export function columnIn(scope: Scope, path: readonly string[], place: Place): Bound {
  for (let current: Scope | null = scope; current !== null; current = current.parent) {
    const found = candidates(current, path)
    if (found.length > 1)
      throw sqlProblem(place, `column ${quoted(path.join('.'))} is ambiguous: name its table before it`)
    const column = found[0]
    if (column === undefined) continue
    return reference(column, path.join('.'), place)
  }
  throw sqlProblem(place, missing(scope, path))
}

/** A column where the query names it. */
export function reference({ value, isStored, isOfValues }: ScopeColumn, name: string, place: Place): Bound {
  const node = value.kind === 'column' ? { ...value, name, place, isOfValues } : { ...value, place }
  return isStored === true ? { ...node, stored: storedColumn(node) } : node
}

/** A grouping key has one value per group, whatever it is cast from. A column of VALUES counts as an entity's column there. */
export function asKey(node: Bound, keys: ReadonlySet<string> | null): Bound {
  if (keys === null || keys.size === 0 || node.kind === 'literal' || !keys.has(keyOf(node))) return node
  return { ...node, stored: node.stored?.isCast === true ? undefined : (node.stored ?? columnOfValues(node)) }
}

function candidates(scope: Scope, path: readonly string[]): readonly ScopeColumn[] {
  const name = path.at(-1)!
  if (path.length === 1) {
    return scope.relations
      .filter((relation) => !relation.merged.has(name))
      .flatMap((relation) => columnsNamed(relation, name).map((column) => asShared(column, relation)))
  }
  const table = path.at(-2)
  return scope.relations
    .filter((relation) => relation.name === table)
    .filter((relation) => path.length === 2 || path[0] === (relation.schema ?? 'druid'))
    .flatMap((relation) => columnsNamed(relation, name))
}

function missing(scope: Scope, path: readonly string[]): string {
  const name = path.at(-1)!
  if (path.length > 1 && !scope.relations.some((relation) => relation.name === path.at(-2))) {
    return `there is no table ${quoted(path.slice(0, -1).join('.'))} in this FROM`
  }
  const names = scope.relations.flatMap((relation) => relation.columns.map((column) => column.name))
  const close = names.find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  const hint = close === undefined ? otherColumns(names, name) : `: there is ${quoted(close)}; names are case-sensitive`
  return `column ${quoted(path.join('.'))} is not found in any table${hint}`
}

/** A hint about a name that no column has. It often means the time, or is a text in double quotes. */
function otherColumns(names: readonly string[], name: string): string {
  if (names.length === 0) return ''
  if (timeNames.includes(name.toLowerCase()) && names.includes('__time')) return `: the time of a row is "__time"`
  const example = name.length > exampleMax ? 'text' : name.replaceAll("'", "''")
  return `: ${thereAre(names)}. Write a string in single quotes: '${example}'`
}

/** A longer text is not repeated in the hint. */
const exampleMax = 60

const timeNames = ['time', 'date', 'timestamp', 'datetime', 'ts', 'd']
