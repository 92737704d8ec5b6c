import type { TidemarkClient } from '../../client/client.ts'
import { ServiceError } from '../../client/service-error.ts'
import type { FieldType } from '../../model/field.ts'
import { CommandError } from '../command-error.ts'
import { type CellType, cellTypes } from './cells.ts'

export type PropertyTypes = ReadonlyMap<string, CellType>

const cellTypeOf = (type: FieldType): CellType => (type === 'json' ? 'guess' : type)

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

function isForbidden(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 403
}

/**
 * The types of an ingest's properties, as far as the key may know them: an admin key sees the ingest's own definition, others the
 * entity that it feeds, by the names of its fields. Empty where neither may be read.
 */
export async function propertyTypes(
  client: Pick<TidemarkClient, 'ingest' | 'entities'>,
  alias: string,
): Promise<PropertyTypes> {
  try {
    const { fields } = await client.ingest(alias)
    return new Map(fields.map(({ source, type }) => [source, cellTypeOf(type)]))
  } catch (error) {
    if (!isForbidden(error)) throw error
  }
  try {
    const entity = (await client.entities()).find(({ ingests }) => ingests.includes(alias))
    return new Map(entity?.fields.map(({ name, type }) => [name, cellTypeOf(type)]))
  } catch (error) {
    if (!isForbidden(error)) throw error
    return new Map()
  }
}
