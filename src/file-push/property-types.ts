import type { TidemarkClient } from '../client/client.ts'
import { ServiceError } from '../client/service-error.ts'
import type { CellType } from './cells.ts'

export type PropertyTypes = ReadonlyMap<string, CellType>

/** Of a key that may push, or of an admin's; a service that lacks one of the two says that there is no such path. */
function isElsewhere(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 403 || error.code === 'path_not_found')
}

/** The types of an ingest's properties: any key that may push sees its definition, and an admin's. Empty for others, whose pushes are refused. */
export async function propertyTypes(
  client: Pick<TidemarkClient, 'ownIngest' | 'ingest'>,
  alias: string,
): Promise<PropertyTypes> {
  for (const ask of [() => client.ownIngest(alias), () => client.ingest(alias)]) {
    try {
      const { fields } = await ask()
      return new Map(fields.map(({ source, type }) => [source, type]))
    } catch (error) {
      if (!isElsewhere(error)) throw error
    }
  }
  return new Map()
}
