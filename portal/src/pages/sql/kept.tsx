import { useState } from 'preact/hooks'
import { AskFirst } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { forgetQuery, type KeptQuery, ranQueries, savedQueries, saveQuery } from './kept-queries.ts'

interface Props {
  readonly mode: KeptQuery['mode']
  readonly text: string
  onChoose(text: string): void
}

const titleMax = 70
const titleOf = ({ name, text }: KeptQuery): string =>
  (name === '' ? text : name).replace(/\s+/g, ' ').slice(0, titleMax)

/** What ran before, and what was given a name. */
export function KeptQueries({ mode, text, onChoose }: Props) {
  const [naming, name] = useState(false)
  const [title, setTitle] = useState('')
  const saved = savedQueries().filter((query) => query.mode === mode)
  const ran = ranQueries().filter((query) => query.mode === mode)
  const current = saved.find((query) => query.text === text)
  const choose = (place: string): void => {
    const list = place.startsWith('s') ? saved : ran
    const query = list[Number(place.slice(1))]
    if (query !== undefined) onChoose(query.text)
  }
  return (
    <>
      <select
        class="input slim kept-queries"
        aria-label="Saved queries and those that ran"
        value=""
        onChange={(event) => {
          choose(event.currentTarget.value)
          event.currentTarget.value = ''
        }}
      >
        <option value="">Saved and earlier…</option>
        {saved.length > 0 && (
          <optgroup label="Saved">
            {saved.map((query, place) => (
              <option key={query.name} value={`s${place}`}>
                {titleOf(query)}
              </option>
            ))}
          </optgroup>
        )}
        {ran.length > 0 && (
          <optgroup label="Earlier">
            {ran.map((query, place) => (
              <option key={query.text} value={`r${place}`}>
                {titleOf(query)}
              </option>
            ))}
          </optgroup>
        )}
      </select>
      {current === undefined ? (
        <button type="button" class="button slim" disabled={text.trim() === ''} onClick={() => name(true)}>
          Save…
        </button>
      ) : (
        <button
          type="button"
          class="button slim"
          onClick={() => {
            forgetQuery(current.name)
            onChoose(`${text} `)
          }}
        >
          Forget “{titleOf(current)}”
        </button>
      )}
      {naming && (
        <AskFirst
          title="Save the query"
          deed="Save it"
          ready={title.trim() !== ''}
          onClose={() => name(false)}
          onDeed={async () => saveQuery({ name: title.trim(), text, mode })}
        >
          <TextField label="Name" value={title} onValue={setTitle} required hint="It is kept in this browser." />
        </AskFirst>
      )}
    </>
  )
}
