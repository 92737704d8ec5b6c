// The parts of a pipeline that handle entries which crash the validator, for tests without such entries.
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
