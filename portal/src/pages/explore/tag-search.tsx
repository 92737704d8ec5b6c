import { useState } from 'preact/hooks'
import { TextField } from '../../parts/inputs.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useAsk } from '../../shell/asking.ts'

interface Props {
  readonly entity: string
  /** The tag field; empty is the entity's first. */
  readonly by: string
  readonly chosen: readonly string[]
  onChosen(tags: readonly string[]): void
}

const shownTags = 12

/** Tags are found by how they begin, as one types: there may be millions. */
export function TagSearch({ entity, by, chosen, onChosen }: Props) {
  const [prefix, setPrefix] = useState('')
  const request = { prefix, limit: shownTags, ...(by === '' ? {} : { id_name_field: by }) }
  const found = useAsk((client) => client.tags(entity, request), [entity, by, prefix])
  const others = (found.value?.Items ?? []).filter((tag) => !chosen.includes(tag))
  return (
    <div class="tag-search">
      <TextField
        label="Tags"
        type="search"
        value={prefix}
        onValue={setPrefix}
        placeholder="begins with…"
        mono
        hint={chosen.length === 0 ? 'Choose those that are to be drawn.' : undefined}
      />
      <ProblemNote error={found.error} />
      <ul class="tag-list">
        {chosen.map((tag) => (
          <li key={tag}>
            <button
              type="button"
              class="tag-choice"
              aria-pressed="true"
              onClick={() => onChosen(chosen.filter((other) => other !== tag))}
            >
              <bdi>{tag === '' ? '(empty)' : tag}</bdi>
            </button>
          </li>
        ))}
        {others.map((tag) => (
          <li key={tag}>
            <button type="button" class="tag-choice" aria-pressed="false" onClick={() => onChosen([...chosen, tag])}>
              <bdi>{tag === '' ? '(empty)' : tag}</bdi>
            </button>
          </li>
        ))}
      </ul>
      {found.value?.NextToken != null && <p class="small soft">There are more: type how they begin.</p>}
      {found.value?.Items.length === 0 && <p class="small soft">No tag begins like that.</p>}
    </div>
  )
}
