// Which columns of a file may be which fields of an ingest: a guess, for a person to decide.
import type { CsvCell } from '../lib/csv-parser.ts'
import type { CellType } from './cells.ts'

interface Column {
  readonly name: string
  /** Of the first row; undefined where there is none. */
  readonly cell: CsvCell | undefined
}

interface Target {
  readonly name: string
  readonly type: CellType
}

type Rule = (column: Column, field: Target) => boolean

const looksLikeTime = /\d[-/.:]\d.*\d[-/.:T]\d/
const looksLikeNumber = /^-?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?$/i
const namesTime = /time|date|stamp|zeit|datum|fecha|hora/i

/** Null where the name does not say it and no cell does. */
function kindOf({ name, cell }: Column): 'time' | 'number' | 'text' | null {
  if (namesTime.test(name) || (typeof cell === 'string' && looksLikeTime.test(cell))) return 'time'
  if (cell === undefined) return null
  return cell !== null && looksLikeNumber.test(cell) ? 'number' : 'text'
}

const kindOfType: Readonly<Partial<Record<CellType, 'time' | 'number' | 'text'>>> = {
  timestamp: 'time',
  double: 'number',
  long: 'number',
  string: 'text',
}

/** The likelier first: the same name, then what the cells look like, then the order. */
const rules: readonly Rule[] = [
  (column, field) => column.name.trim().toLowerCase() === field.name.toLowerCase(),
  (column, field) => kindOf(column) === kindOfType[field.type],
  // Without a row the order would be all that is known.
  ({ cell }) => cell !== undefined,
]

/** For each column the field that it may be; null where none is left. */
export function likelyFields(columns: readonly Column[], fields: readonly Target[]): readonly (string | null)[] {
  const found = columns.map((): string | null => null)
  const free = [...fields]
  for (const rule of rules) {
    for (const [place, column] of columns.entries()) {
      if (found[place] !== null) continue
      const at = free.findIndex((field) => rule(column, field))
      if (at !== -1) found[place] = free.splice(at, 1)[0]!.name
    }
  }
  return found
}
