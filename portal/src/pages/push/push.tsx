import { useState } from 'preact/hooks'
import { Segments, SelectField, TextField } from '../../parts/inputs.tsx'
import { Empty, PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { PushKeyField } from '../../session/push-key-field.tsx'
import { mayDo } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo, usePlace } from '../../shell/route.ts'
import { allIngests } from '../ingests/all-ingests.ts'
import { ownAliases, type ShownIngest, shownIngest } from '../ingests/side.ts'
import { FromFile } from './from-file.tsx'
import { OneRow } from './one-row.tsx'

/** Pushes the rows of a file, or a typed row, to an ingest. */
export function Push() {
  const alias = usePlace().path[1] ?? ''
  return (
    <>
      <PageHead title="Push" />
      <Panel title="Where to">
        <WhereTo alias={alias} />
      </Panel>
      {alias !== '' && <PushTo key={alias} alias={alias} />}
    </>
  )
}

function WhereTo({ alias }: { readonly alias: string }) {
  const isOperator = mayDo('admin')
  const [other, setOther] = useState('')
  const ingests = useQuery(allIngests, ['ingests'], { skip: !isOperator })
  const aliases = isOperator ? (ingests.value ?? []).map((one) => one.alias) : ownAliases()
  const shown = alias === '' || aliases.includes(alias) ? aliases : [alias, ...aliases]
  if (isOperator && ingests.value === null && ingests.error === null) return <Waiting />
  if (isOperator && ingests.value?.length === 0) return <NoIngest />
  const choices = shown.map((name) => ({ value: name, text: name }))
  return (
    <form
      class="inside grid-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (other !== '') goTo(linkTo(['push', other]))
      }}
    >
      <ProblemNote error={ingests.error} />
      {shown.length > 0 && (
        <SelectField
          label="Ingest"
          value={alias}
          choices={alias === '' ? [{ value: '', text: 'choose one' }, ...choices] : choices}
          onValue={(name) => goTo(linkTo(['push', name]))}
        />
      )}
      {!isOperator && (
        <TextField
          label={shown.length > 0 ? 'Another ingest' : 'Ingest'}
          value={other}
          onValue={setOther}
          mono
          hint="Its name, then Enter."
        />
      )}
      {alias !== '' && <PushKeyField />}
    </form>
  )
}

function NoIngest() {
  return (
    <Empty title="No ingest yet">
      <p>Rows are pushed to an ingest, which says what fields they have.</p>
      <a class="button first" href={linkTo(['ingests'])}>
        Make one
      </a>
    </Empty>
  )
}

type Way = 'file' | 'row'
const ways: readonly { readonly value: Way; readonly text: string }[] = [
  { value: 'file', text: 'A file' },
  { value: 'row', text: 'One row' },
]

function PushTo({ alias }: { readonly alias: string }) {
  const ingest = useQuery((client) => shownIngest(client, alias), [alias])
  const [way, choose] = useState<Way>('file')
  const { value } = ingest
  if (value === null) return ingest.error === null ? <Waiting /> : <ProblemNote error={ingest.error} />
  return (
    <>
      {value.state === 'blocked' && <Blocked ingest={value} />}
      <div class="actions">
        <Segments label="What is pushed" value={way} choices={ways} onValue={(chosen) => choose(chosen)} />
      </div>
      {/* Both stay, so that a push goes on while the other one is looked at. */}
      <div class="stack" hidden={way !== 'file'}>
        <FromFile ingest={value} />
      </div>
      <div class="stack" hidden={way !== 'row'}>
        <OneRow ingest={value} />
      </div>
    </>
  )
}

function Blocked({ ingest: { reason } }: { readonly ingest: ShownIngest }) {
  return (
    <div class="note warn">
      <p>
        This ingest is blocked: pushes are refused. Reason: <span dir="auto">{reason ?? 'none was given'}</span>
      </p>
    </div>
  )
}
