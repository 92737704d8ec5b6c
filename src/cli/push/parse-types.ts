import { cellTypes } from '../../file-push/cells.ts'
import type { PropertyTypes } from '../../file-push/property-types.ts'
import { oneOf } from '../one-of.ts'

/** What `--types V=double,n=long` says. */
export function parseTypes(pairs: ReadonlyMap<string, string>): PropertyTypes {
  return new Map([...pairs].map(([property, text]) => [property, oneOf(cellTypes, text, 'type')]))
}
