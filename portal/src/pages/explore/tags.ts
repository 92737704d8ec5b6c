import type { TidemarkClient } from '../../../../src/client/client.ts'

/** Tags by how they begin: those that have an item, of the field `by`, or of the entity's first where that is empty. */
export async function tagsThatBegin(
  client: TidemarkClient,
  entity: string,
  by: string,
  prefix: string,
): Promise<readonly string[]> {
  const described = (await client.entities()).find((one) => one.entity === entity)
  const field = by === '' ? described?.fields.find(({ role }) => role === 'tag')?.name : by
  if (field === undefined) return []
  const prefixes = prefix === '' ? [] : [prefix]
  const newest = await client.query('latest', { entity, id_name_field: field, prefixes })
  return newest.map((item) => String(item[field])).toSorted()
}
