import accessors from '@duckdb/node-api/lib/vectors/dataAccessors.js'

/** Texts of the engine as they are: its package decodes them as one does a file, without the U+FEFF that one may begin with. */
export function readWholeTexts(): void {
  Object.assign(accessors, { textDecoder: new TextDecoder('utf-8', { ignoreBOM: true }) })
}
