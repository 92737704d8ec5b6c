import type { Reader } from '../admission/reader.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { didYouMean } from '../lib/likely-word.ts'
import type { Entity } from '../model/entity.ts'
import { Problem } from '../model/problem.ts'
import { listNames } from './faults.ts'

/** The entity that a data query names. Throws Problem `forbidden` when the reader may not read it, `unknown_entity` when it does not exist. */
export function readableEntity(
  definitions: Pick<Definitions, 'entity' | 'entities' | 'metadataEntity'>,
  name: string,
  { mayRead }: Reader,
): Entity {
  const isReadable = mayRead(name)
  const entity = isReadable ? definitions.entity(name) : undefined
  if (entity !== undefined) return entity
  const names = definitions
    .entities()
    .map((known) => known.name)
    .filter(mayRead)
  // Readers without access do not learn whether the entity exists.
  if (!isReadable) {
    throw new Problem(
      'forbidden',
      `The entity ${JSON.stringify(name)} needs a key with the consume right and a valid subscription to it.${didYouMean(name, names)}`,
    )
  }
  if (definitions.metadataEntity(name) !== undefined) throw unknown(itemsText(name))
  const choice = names.length === 0 ? 'There are no entities yet that you can read.' : `There are: ${listNames(names)}.`
  throw unknown(`There is no entity ${JSON.stringify(name)}.${didYouMean(name, names)} ${choice}`)
}

/** Metadata has items but no times, by which these queries select. */
function itemsText(name: string): string {
  return `${JSON.stringify(name)} is a metadata entity, not a series entity. GET /consumer/metadata/${name} lists its items, and SQL joins them with rows.`
}

function unknown(message: string): Problem {
  return new Problem('unknown_entity', message, { errors: [{ path: 'entity', message }] })
}
