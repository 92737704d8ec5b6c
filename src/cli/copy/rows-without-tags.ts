// Rows that are older than a tag of their entity: the source shows them with null in it, and no ingest takes a row without a tag.
import type { EntityDescription } from '../../client/answers.ts'
import type { TidemarkClient } from '../../client/client.ts'
import { earliestMs, formatInstant, latestMs } from '../../model/instant.ts'
import type { CopyRoute } from './copy-definitions.ts'

/** Rows of an entity that a copy will not bring over, as a sentence for each tag. */
export async function rowsWithoutTags(
  source: TidemarkClient,
  routes: readonly CopyRoute[],
): Promise<readonly string[]> {
  const copied = new Set(routes.filter(({ kind }) => kind === 'series').map(({ name }) => name))
  const said: string[] = []
  for (const entity of await source.entities()) {
    if (!copied.has(entity.entity) || entity.rows === 0) continue
    for (const tag of tagsOf(entity)) {
      const { n, last } = await countWithout(source, entity.entity, tag)
      if (n > 0)
        said.push(
          `${entity.entity}: ${n} rows have no ${tag}, the last of them at ${last}: they are older than this tag. The target will reject them (missing_tag); ` +
            `Rows of "tidemark query select" can be pushed there with one ("tidemark push --set ${tag}=...").`,
        )
    }
  }
  return said
}

/** An entity's only tag has been there from the beginning. */
function tagsOf({ fields }: EntityDescription): readonly string[] {
  const tags = fields.filter(({ role }) => role === 'tag').map(({ name }) => name)
  return tags.length > 1 ? tags : []
}

async function countWithout(source: TidemarkClient, entity: string, tag: string): Promise<{ n: number; last: string }> {
  const query = {
    queryType: 'timeseries',
    dataSource: entity,
    intervals: [`${formatInstant(earliestMs)}/${formatInstant(latestMs)}`],
    granularity: 'all',
    filter: { type: 'selector', dimension: tag, value: null },
    aggregations: [
      { type: 'count', name: 'n' },
      { type: 'longMax', name: 'last', fieldName: '__time' },
    ],
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of source.nativeBytes('timeseries', JSON.stringify(query))) chunks.push(chunk)
  const [counted] = JSON.parse(Buffer.concat(chunks).toString()) as { result: { n: number; last: number | null } }[]
  const { n = 0, last = null } = counted?.result ?? {}
  return { n, last: last === null ? '' : formatInstant(last) }
}
