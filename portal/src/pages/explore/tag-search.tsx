import { useMemo, useRef, useState } from 'preact/hooks'
import { plural } from '../../parts/formats.ts'
import { TextField } from '../../parts/inputs.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useQuery } from '../../shell/asking.ts'
import { newestTexts } from './newest-texts.ts'
import { type TagText, tagsFound, tagsMax, tagTexts } from './tag-texts.ts'

interface Props {
  readonly entity: string
  /** The tag field; empty means the entity's first. */
  readonly by: string
  readonly chosen: readonly string[]
  /** Typed text with one of these marks is offered as a tag itself: a variable whose value the reader chooses. */
  readonly marks?: readonly string[]
  onChosen(tags: readonly string[]): void
}

const shownTags = 12
/** The most tags whose newest item is shown. */
const newestMax = 32
/** The most tags to add at once: the number of lines of a chart. */
const addedMax = 20
const noMarks: readonly string[] = []
const noTexts: ReadonlyMap<string, TagText> = new Map()
const noNewest: ReadonlyMap<string, string> = new Map()

/** Finds tags by any part of the tag or its metadata; if there are too many tags for that, by prefix. */
export function TagSearch({ entity, by, chosen, marks = noMarks, onChosen }: Props) {
  const [typed, type] = useState('')
  const named = by === '' ? {} : { id_name_field: by }
  const all = useQuery((client) => client.tags(entity, { limit: tagsMax, ...named }), [entity, by])
  const isPart = all.value !== null && all.value.NextToken !== null
  const request = { prefix: typed, limit: shownTags, ...named }
  const begun = useQuery((client) => client.tags(entity, request), [entity, by, typed], {
    skip: !isPart || typed === '',
  })
  const texts = useQuery(tagTexts, ['tag texts']).value ?? noTexts
  const found = useMemo(() => {
    const own = marks.some((mark) => typed.includes(mark)) ? [typed.trim()] : []
    return [...new Set([...own, ...(begun.value?.Items ?? []), ...tagsFound(all.value?.Items ?? [], texts, typed)])]
  }, [all.value, begun.value, texts, typed])
  const shown = found.slice(0, shownTags)
  // Chosen tags come first. A tag that is chosen or removed here keeps its position, and so does the focus.
  const words = JSON.stringify(chosen)
  const listed = useRef({ found, words: '', first: chosen })
  if (listed.current.found !== found || listed.current.words !== words) listed.current = { found, words, first: chosen }
  const { first } = listed.current
  const tags = [...new Set(typed === '' ? [...first, ...shown, ...chosen] : [...shown, ...first, ...chosen])]
  const seen = tags.slice(0, newestMax)
  const newest =
    useQuery((client) => newestTexts(client, { entity, by, tags: seen }), [entity, by, ...seen], {
      skip: seen.length === 0 || all.value === null,
    }).value ?? noNewest
  const choose = (next: readonly string[]): void => {
    listed.current = { ...listed.current, words: JSON.stringify(next) }
    onChosen(next)
  }
  const toggle = (tag: string): void =>
    choose(chosen.includes(tag) ? chosen.filter((other) => other !== tag) : [...chosen, tag])
  const others = found.filter((tag) => !chosen.includes(tag))
  return (
    <search
      class="tag-search"
      onKeyDown={(event) => {
        // The search may be within a form, which Enter would submit.
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        if (typed !== '' && others[0] !== undefined) choose([...chosen, others[0]])
      }}
    >
      <TextField
        label="Tags"
        type="search"
        value={typed}
        onValue={type}
        placeholder="any part, description, unit…"
        hint={chosen.length === 0 ? 'Choose the tags to draw.' : undefined}
      />
      <ProblemNote error={all.error ?? begun.error} />
      <ul class="tag-list">
        {tags.map((tag) => (
          <li key={tag}>
            <button type="button" class="tag-choice" aria-pressed={chosen.includes(tag)} onClick={() => toggle(tag)}>
              <bdi>{tag === '' ? '(empty)' : tag}</bdi>
              <TagLine text={texts.get(tag)} newest={newest.get(tag)} />
            </button>
          </li>
        ))}
      </ul>
      {typed !== '' && others.length > 1 && others.length + chosen.length <= addedMax && (
        <button type="button" class="button slim" onClick={() => choose([...chosen, ...others])}>
          Add all {others.length} found
        </button>
      )}
      {found.length > shownTags && (
        <p class="small soft">
          {plural(found.length, 'tag')} {isPart ? 'and more, ' : ''}found: type to narrow them down.
          {isPart && ` The first ${plural(tagsMax, 'tag')} are searched in every part, the others by how they begin.`}
        </p>
      )}
      {all.value !== null && found.length === 0 && !begun.busy && <p class="small soft">No tag is found.</p>}
    </search>
  )
}

/** The tag's metadata and newest item, below the tag. */
function TagLine({ text, newest }: { readonly text: TagText | undefined; readonly newest: string | undefined }) {
  const line = [text?.description, text?.unit, newest].filter(Boolean).join(' · ')
  return line === '' ? null : <span class="tag-text small">{line}</span>
}
