// A pipeline's parts that have to do with entries that end the validator, where none does.
import type { QuarantineCatalog } from '../../src/catalog/quarantine.ts'
import type { ValidationNotes } from '../../src/ingest/quarantine/validation-notes.ts'

interface NoQuarantine {
  readonly notes: ValidationNotes
  readonly quarantine: Pick<QuarantineCatalog, 'add' | 'list' | 'bodyPart'>
  readonly nowMs: () => number
}

export const noQuarantine: NoQuarantine = {
  notes: { read: async () => null, write: async () => undefined },
  quarantine: { add: async () => undefined, list: async () => [], bodyPart: async () => null },
  nowMs: () => 0,
}
