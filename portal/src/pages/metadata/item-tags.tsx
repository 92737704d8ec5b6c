import type { TidemarkClient } from '../../../../src/client/client.ts'
import { plural } from '../../parts/formats.ts'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'

interface FoundTags {
  readonly entity: string
  /** The tag field; empty means the entity's first. */
  readonly by: string
  readonly tags: readonly string[]
  /** Whether there are further tags. */
  readonly more: boolean
}

const entitiesMax = 20
/** As many lines as a reader can distinguish. */
const tagsMax = 8

/** The tags that begin with an identifier, in each tag field of each entity. */
async function tagsOf(client: TidemarkClient, id: string): Promise<readonly FoundTags[]> {
  const entities = (await client.entities()).slice(0, entitiesMax)
  const asked = entities.flatMap(({ entity, fields }) =>
    fields
      .filter(({ role }) => role === 'tag')
      .map(async ({ name }, place): Promise<FoundTags> => {
        const { Items, NextToken } = await client.tags(entity, { prefix: id, id_name_field: name, limit: tagsMax })
        return { entity, by: place === 0 ? '' : name, tags: Items, more: NextToken !== null }
      }),
  )
  return (await Promise.all(asked)).filter(({ tags }) => tags.length > 0)
}

/** Links from an item to its measured values. */
export function ItemTags({ id }: { readonly id: string }) {
  const found = useQuery((client) => tagsOf(client, id), [id], { skip: id === '' })
  if (id === '') return null
  return (
    <section aria-label="Tags of this item" class="stack tight-stack">
      <h3>Tags that begin with its identifier</h3>
      <ProblemNote error={found.error} />
      {found.value?.length === 0 && <p class="small soft">No entity that you may read has such a tag.</p>}
      {found.value === null && found.error === null && (
        <p class="small soft" role="status">
          Asking…
        </p>
      )}
      {found.value?.map(({ entity, by, tags, more }) => (
        <div class="actions" key={`${entity} ${by}`}>
          <a class="button slim" href={linkTo(['explore'], { entity, by, tag: tags })}>
            Draw {more ? `the first ${tags.length} tags` : plural(tags.length, 'tag')} of {entity}
          </a>
          <span class="small soft item-tags" dir="auto">
            {tags.map((tag) => (
              <bdi key={tag}>{tag}</bdi>
            ))}
          </span>
        </div>
      ))}
    </section>
  )
}
