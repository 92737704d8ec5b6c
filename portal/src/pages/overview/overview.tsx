import { Figure, PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { mayDo, session } from '../../session/session.ts'
import { useAsk } from '../../shell/asking.ts'
import { useStore } from '../../shell/store.ts'
import { allIngests } from '../ingests/all-ingests.ts'
import { IngestTable } from '../ingests/ingest-table.tsx'
import { EntityTable } from './entity-table.tsx'
import { Health } from './health.tsx'
import { Incoming } from './incoming.tsx'
import { OwnAccess } from './own-access.tsx'
import { ServiceFigures } from './service-figures.tsx'
import { useMetrics } from './watch-rates.ts'

export function Overview() {
  useStore(session)
  return mayDo('admin') || mayDo('observe') ? <OperatorOverview /> : <ReaderOverview />
}

function OperatorOverview() {
  const metrics = useMetrics(false)
  const ingests = useAsk(allIngests, ['ingests'], { everyMs: 5000 })
  return (
    <>
      <PageHead title="Overview">
        <Health />
      </PageHead>
      <ServiceFigures metrics={metrics.value} ingests={ingests.value} />
      <ProblemNote error={metrics.error ?? ingests.error} />
      <Incoming />
      <Panel title="Ingests" tools={<span class="soft small">those with trouble first</span>}>
        {ingests.value === null ? <Waiting /> : <IngestTable ingests={ingests.value} />}
      </Panel>
    </>
  )
}

function ReaderOverview() {
  const reads = mayDo('consume')
  const entities = useAsk((client) => client.entities(), ['entities'], { everyMs: 10_000, skip: !reads })
  const rows = entities.value?.reduce((sum, entity) => sum + entity.rows, 0)
  return (
    <>
      <PageHead title="Overview">
        <Health />
      </PageHead>
      <ProblemNote error={entities.error} />
      {rows !== undefined && (
        <dl class="figures">
          <Figure name="Entities you may read" value={entities.value!.length.toLocaleString('en-US')} />
          <Figure name="Rows in them" value={rows.toLocaleString('en-US')} />
        </dl>
      )}
      {reads && (
        <Panel title="Entities">
          {entities.value === null ? <Waiting /> : <EntityTable entities={entities.value} />}
        </Panel>
      )}
      <OwnAccess />
    </>
  )
}
