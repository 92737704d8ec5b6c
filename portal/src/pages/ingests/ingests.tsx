import { useState } from 'preact/hooks'
import { PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { mayDo } from '../../session/session.ts'
import { useAsk } from '../../shell/asking.ts'
import { usePlace } from '../../shell/route.ts'
import { allIngests } from './all-ingests.ts'
import { IngestPage } from './ingest.tsx'
import { IngestTable } from './ingest-table.tsx'
import { NewIngest } from './new-ingest.tsx'
import { OwnIngests } from './own-ingests.tsx'

export function Ingests() {
  const alias = usePlace().path[1]
  if (alias !== undefined) return <IngestPage key={alias} alias={alias} />
  return mayDo('admin') ? <OperatorList /> : <OwnIngests />
}

function OperatorList() {
  const ingests = useAsk(allIngests, ['ingests'], { everyMs: 5000 })
  const [making, make] = useState(false)
  return (
    <>
      <PageHead title="Ingests">
        <button type="button" class="button first push-right" onClick={() => make(true)}>
          New ingest
        </button>
      </PageHead>
      <ProblemNote error={ingests.error} />
      <Panel title="All ingests" tools={<span class="soft small">those with trouble first</span>}>
        {ingests.value === null ? <Waiting /> : <IngestTable ingests={ingests.value} onMake={() => make(true)} />}
      </Panel>
      {making && <NewIngest onClose={() => make(false)} />}
    </>
  )
}
