import type { Definitions } from '../catalog/definitions.ts'
import { didYouMean } from '../lib/likely-word.ts'
import type { Ingest } from '../model/ingest.ts'
import { Problem } from '../model/problem.ts'

/** Returns the ingest. Throws Problem `ingest_not_found`, which suggests only ingests that the caller may push to. */
export function existingIngest(
  definitions: Pick<Definitions, 'ingest' | 'ingests'>,
  alias: string,
  mayPush: (alias: string) => boolean,
): Ingest {
  const ingest = definitions.ingest(alias)
  if (ingest !== undefined) return ingest
  const others = [...definitions.ingests()].map((one) => one.alias).filter(mayPush)
  const hint = didYouMean(alias, others) || ' Check the alias; it is case-sensitive.'
  throw new Problem(
    'ingest_not_found',
    `There is no ingest ${JSON.stringify(alias)}: it was deleted, or not created yet.${hint} The operator creates ingests: POST /admin/ingests.`,
  )
}
