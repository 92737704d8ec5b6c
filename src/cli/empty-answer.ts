// What may be the reason that a query by ids finds nothing.
import type { TidemarkClient } from '../client/client.ts'
import { mayBeMeant } from '../lib/likely-word.ts'

export interface AskedIds {
  readonly entity: string
  readonly ids: readonly string[]
  /** The tag that was asked by; undefined where it is the first one. */
  readonly idName: string | undefined
}

type Reader = Pick<TidemarkClient, 'tags' | 'entities'>

/** A sentence for each reason. What the service does not tell is left out: the query itself was answered. */
export async function reasonsOfNoRows(client: Reader, asked: AskedIds): Promise<readonly string[]> {
  const unknown = await unknownIds(client, asked).catch(() => [])
  const otherTags = asked.idName === undefined ? await hintOtherTags(client, asked).catch(() => []) : []
  return [...unknown, ...otherTags]
}

/** So many tags are looked at. */
const tagsMax = 2000
/** Of so many ids it is told that there is no such tag. */
const idsMax = 3

async function unknownIds(client: Reader, { entity, ids, idName }: AskedIds): Promise<readonly string[]> {
  const named = { limit: tagsMax, ...(idName === undefined ? {} : { id_name_field: idName }) }
  const all = await client.tags(entity, named)
  const said = (id: string, tags: readonly string[]): readonly string[] =>
    tags.includes(id) ? [] : [`There is no tag ${JSON.stringify(id)} in ${entity}.${mayBeMeant(id, tags)}`]
  if (all.NextToken === null) return ids.flatMap((id) => said(id, all.Items)).slice(0, idsMax)
  // Of many tags those that begin like the first id: one more small request.
  const [first = ''] = ids
  const characters = [...first]
  const prefix = characters.slice(0, Math.ceil(characters.length / 2)).join('')
  const alike = await client.tags(entity, { ...named, prefix })
  return alike.NextToken === null ? said(first, alike.Items) : []
}

/** Ids are looked for in the first tag alone: others are named to whom that finds nothing. */
async function hintOtherTags(client: Reader, { entity, ids }: AskedIds): Promise<readonly string[]> {
  const described = (await client.entities()).find((one) => one.entity === entity)
  const [first, ...others] = (described?.fields ?? []).filter(({ role }) => role === 'tag').map(({ name }) => name)
  if (first === undefined || others.length === 0) return []
  const names = others.map((name) => `--id-name ${name}`).join(' or ')
  const looked = ids.length === 1 ? 'The id was' : 'The ids were'
  return [`${looked} looked for in the tag ${first}. Ask by another one with ${names}.`]
}
