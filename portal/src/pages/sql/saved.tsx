import { useState } from 'preact/hooks'
import { AskFirst } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { forgetQuery, ranQueries, type SavedQuery, savedQueries, saveQuery } from './saved-queries.ts'

interface Props {
  readonly mode: SavedQuery['mode']
  readonly text: string
  onChoose(text: string): void
}

const titleMax = 70
const titleOf = ({ name, text }: SavedQuery): string =>
  (name === '' ? text : name).replace(/\s+/g, ' ').slice(0, titleMax)

/** The query history and the named queries. */
export function SavedQueries({ mode, text, onChoose }: Props) {
  const [naming, name] = useState(false)
  // Triggers a new read of the browser's storage after a change.
  const [, read] = useState(0)
  const saved = savedQueries().filter((query) => query.mode === mode)
  const ran = ranQueries().filter((query) => query.mode === mode)
  const current = saved.find((query) => query.text === text)
  const forget = (query: SavedQuery): void => {
    forgetQuery(query.name)
    read((count) => count + 1)
  }
  return (
    <>
      <QueryChoice saved={saved} ran={ran} onChoose={onChoose} />
      {current === undefined ? (
        <button type="button" class="button slim" disabled={text.trim() === ''} onClick={() => name(true)}>
          Save…
        </button>
      ) : (
        <button type="button" class="button slim" onClick={() => forget(current)}>
          Forget “{titleOf(current)}”
        </button>
      )}
      {naming && <NameQuery mode={mode} text={text} onClose={() => name(false)} />}
    </>
  )
}

interface ChoiceProps {
  readonly saved: readonly SavedQuery[]
  readonly ran: readonly SavedQuery[]
  onChoose(text: string): void
}

function QueryChoice({ saved, ran, onChoose }: ChoiceProps) {
  const groups = [
    { name: 'Saved', queries: saved },
    { name: 'Earlier', queries: ran },
  ].filter(({ queries }) => queries.length > 0)
  const all = groups.flatMap(({ queries }) => queries)
  const place = (query: SavedQuery): number => all.indexOf(query)
  return (
    <select
      class="input slim kept-queries"
      aria-label="Saved and earlier queries"
      value=""
      onChange={(event) => {
        const { value } = event.currentTarget
        const query = value === '' ? undefined : all[Number(value)]
        if (query !== undefined) onChoose(query.text)
        event.currentTarget.value = ''
      }}
    >
      <option value="">Saved and earlier…</option>
      {groups.map(({ name, queries }) => (
        <optgroup key={name} label={name}>
          {queries.map((query) => (
            <option key={place(query)} value={String(place(query))}>
              {titleOf(query)}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}

interface NameProps {
  readonly mode: SavedQuery['mode']
  readonly text: string
  onClose(): void
}

function NameQuery({ mode, text, onClose }: NameProps) {
  const [title, setTitle] = useState('')
  return (
    <AskFirst
      title="Save the query"
      deed="Save it"
      ready={title.trim() !== ''}
      onClose={onClose}
      onDeed={async () => saveQuery({ name: title.trim(), text, mode })}
    >
      <TextField label="Name" value={title} onValue={setTitle} required hint="It is stored in this browser." />
    </AskFirst>
  )
}
