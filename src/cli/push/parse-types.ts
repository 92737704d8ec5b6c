import { type CellType, cellTypes } from '../../file-push/cells.ts'
import type { PropertyTypes } from '../../file-push/property-types.ts'
import { CommandError } from '../command-error.ts'

/** What `--types V=double,n=long` says. */
export function parseTypes(pairs: ReadonlyMap<string, string>): PropertyTypes {
  const types = new Map<string, CellType>()
  for (const [property, text] of pairs) {
    const type = cellTypes.find((known) => known === text)
    if (type === undefined) throw new CommandError(`"${text}" is no type. There are: ${cellTypes.join(', ')}.`)
    types.set(property, type)
  }
  return types
}
