import type { GroupValue } from '../../../algebra/aggregation.ts'
import { type Chunk, isNullIn } from '../head/chunk.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'

/** What a row has in a field. */
export function rowValue(accessor: FieldAccessor, chunk: Chunk, row: number, series: number): GroupValue {
  switch (accessor.kind) {
    case 'time':
      return chunk.times[row]
    case 'tag': {
      const code = accessor.tag.codes.values[series]
      return code < 0 ? null : accessor.dictionary.strings[code]
    }
    case 'column': {
      const column = chunk.columns[accessor.index]
      if (column === undefined || isNullIn(column, row)) return null
      if (column.type === 'string') return column.dictionary[column.codes[row]]
      if (column.type === 'boolean') return BigInt(column.values[row])
      const value = column.values[row]
      if (column.type !== 'long') return value
      return column.exact !== null && Math.abs(value) >= 2 ** 53 ? column.exact[row] : BigInt(value)
    }
    case 'absent':
      return null
  }
}
