import type { Definitions } from '../catalog/definitions.ts'
import type { Ingest } from '../model/ingest.ts'
import { Problem } from '../model/problem.ts'

/** Throws Problem `ingest_not_found`. */
export function existingIngest(definitions: Pick<Definitions, 'ingest'>, alias: string): Ingest {
  const ingest = definitions.ingest(alias)
  if (ingest !== undefined) return ingest
  throw new Problem(
    'ingest_not_found',
    `There is no ingest ${JSON.stringify(alias)}. Check the alias; it is case-sensitive.`,
  )
}
