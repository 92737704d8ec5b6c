import type { ColumnType } from '../../../model/column.ts'
import type { EntityField } from '../../../model/entity.ts'
import { type Chunk, isNullIn } from '../head/chunk.ts'
import { Dictionary } from '../head/dictionary.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import type { TagIndex } from '../registry/series-index.ts'

/** A value to compare and group by: a string's code, a boolean as 0 or 1, a long's exact digits; null for null. */
export type FieldKey = number | bigint | null

export interface TagAccessor {
  readonly kind: 'tag'
  readonly type: 'string'
  readonly tag: TagIndex
  readonly dictionary: Dictionary
}

/** A tag that no row has had yet. */
export interface AbsentAccessor {
  readonly kind: 'absent'
  readonly type: 'string'
  readonly dictionary: Dictionary
}

/** Access to the values of one field of a plan. */
export type FieldAccessor =
  | { readonly kind: 'time'; readonly type: 'timestamp' }
  | TagAccessor
  | { readonly kind: 'column'; readonly type: ColumnType; readonly index: number; readonly dictionary: Dictionary }
  | AbsentAccessor

/** `dictionaryOf` returns the dictionary of the codes of a column, by the column's index. */
export function fieldAccessor(
  { series, columns }: EntityRegistry,
  field: EntityField,
  dictionaryOf: (column: number) => Dictionary,
): FieldAccessor {
  if (field.role === 'time') return { kind: 'time', type: 'timestamp' }
  const tag = series.tag(field.name)
  if (tag !== null) return tagAccessor(tag)
  if (field.role === 'tag') return absent()
  if (field.type === 'json') throw new Error(`a series entity has no json field, but ${field.name} is one`)
  // A file that is not open yet may have a column that is not yet known in memory.
  const { type, index } = columns.learn(field.name, field.type)
  return { kind: 'column', type, index, dictionary: dictionaryOf(index) }
}

export function tagAccessor(tag: TagIndex): TagAccessor {
  return { kind: 'tag', type: 'string', tag, dictionary: tag.dictionary }
}

export function tagAccessorOf({ series }: EntityRegistry, { name }: EntityField): TagAccessor | AbsentAccessor {
  const tag = series.tag(name)
  return tag === null ? absent() : tagAccessor(tag)
}

function absent(): AbsentAccessor {
  return { kind: 'absent', type: 'string', dictionary: new Dictionary() }
}

/** Makes a test whether two series have the same combination of tags. */
export function sameTags(tags: readonly (TagAccessor | AbsentAccessor)[]): (left: number, right: number) => boolean {
  const [first, ...others] = tags.flatMap((accessor) => (accessor.kind === 'tag' ? [accessor.tag.codes.values] : []))
  if (first === undefined) return () => true
  if (others.length === 0) return (left, right) => first[left] === first[right]
  return (left, right) => first[left] === first[right] && others.every((codes) => codes[left] === codes[right])
}

export function keyAt(accessor: FieldAccessor, chunk: Chunk, row: number, series: number): FieldKey {
  switch (accessor.kind) {
    case 'time':
      return chunk.times[row]
    case 'tag': {
      const code = accessor.tag.codes.values[series]
      return code < 0 ? null : code
    }
    case 'column': {
      const column = chunk.columns[accessor.index]
      if (column === undefined || isNullIn(column, row)) return null
      if (column.type === 'string') return accessor.dictionary.codeFrom(column.dictionary, column.codes[row])
      if (column.type === 'boolean' || column.exact === null) return column.values[row]
      return Math.abs(column.values[row]) >= 2 ** 53 ? column.exact[row] : column.values[row]
    }
    case 'absent':
      return null
  }
}

/** Orders two values of a field: null first, strings by code point, false before true. */
export function compareKeys(accessor: FieldAccessor, left: FieldKey, right: FieldKey): number {
  if (left === right) return 0
  if (left === null) return -1
  if (right === null) return 1
  if (accessor.kind !== 'time' && accessor.type === 'string')
    return accessor.dictionary.compare(Number(left), Number(right))
  return left < right ? -1 : left > right ? 1 : 0
}
