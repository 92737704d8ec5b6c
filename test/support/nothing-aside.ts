// A pipeline's parts that have to do with entries that end the judge, where none does.
import type { SetAsideCatalog } from '../../src/catalog/set-aside.ts'
import type { JudgingNotes } from '../../src/ingest/set-aside/judging-notes.ts'

interface NothingAside {
  readonly notes: JudgingNotes
  readonly setAside: Pick<SetAsideCatalog, 'add' | 'list' | 'bodyPart'>
  readonly nowMs: () => number
}

export const nothingAside: NothingAside = {
  notes: { read: async () => null, write: async () => undefined },
  setAside: { add: async () => undefined, list: async () => [], bodyPart: async () => null },
  nowMs: () => 0,
}
