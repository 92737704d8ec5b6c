import { useState } from 'preact/hooks'
import { TextField } from '../../parts/inputs.tsx'
import { Empty, PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { mayDo } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo, usePlace } from '../../shell/route.ts'
import { allIngests } from './all-ingests.ts'
import { IngestPage } from './ingest.tsx'
import { IngestTable } from './ingest-table.tsx'
import { NewIngest } from './new-ingest.tsx'
import { ownAliases } from './side.ts'

export function Ingests() {
  const alias = usePlace().path[1]
  if (alias !== undefined) return <IngestPage key={alias} alias={alias} />
  return mayDo('admin') ? <OperatorList /> : <OwnIngests />
}

function OperatorList() {
  const ingests = useQuery(allIngests, ['ingests'], { everyMs: 5000 })
  const [making, make] = useState(false)
  return (
    <>
      <PageHead title="Ingests">
        <button type="button" class="button first push-right" onClick={() => make(true)}>
          New ingest
        </button>
      </PageHead>
      <ProblemNote error={ingests.error} />
      <Panel title="All ingests" tools={<span class="soft small">ingests with problems first</span>}>
        {ingests.value === null ? <Waiting /> : <IngestTable ingests={ingests.value} onMake={() => make(true)} />}
      </Panel>
      {making && <NewIngest onClose={() => make(false)} />}
    </>
  )
}

/** The ingests of a pusher: those named by a subscription, or any by its name. */
function OwnIngests() {
  const [alias, setAlias] = useState('')
  const aliases = ownAliases()
  return (
    <>
      <PageHead title="Ingests" />
      <Panel title="You may push to">
        {aliases.length === 0 ? (
          <Empty title="Your subscriptions name no ingest">
            <p>If one of them is for every ingest, open the one you push to by its name.</p>
          </Empty>
        ) : (
          <ul class="inside">
            {aliases.map((name) => (
              <li key={name}>
                <a href={linkTo(['ingests', name])}>{name}</a>
              </li>
            ))}
          </ul>
        )}
        <form
          class="inside"
          onSubmit={(event) => {
            event.preventDefault()
            if (alias !== '') goTo(linkTo(['ingests', alias]))
          }}
        >
          <TextField label="Open another by its name" value={alias} onValue={setAlias} mono />
          <div class="actions">
            <button type="submit" class="button" disabled={alias === ''}>
              Open
            </button>
          </div>
        </form>
      </Panel>
    </>
  )
}
