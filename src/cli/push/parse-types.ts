import { cellTypes } from '../../file-push/cells.ts'
import type { PropertyTypes } from '../../file-push/known-ingest.ts'
import { parseWord } from '../parse-word.ts'

/** What `--types V=double,n=long` says. */
export function parseTypes(pairs: ReadonlyMap<string, string>): PropertyTypes {
  return new Map([...pairs].map(([property, text]) => [property, parseWord(cellTypes, text, 'type')]))
}
