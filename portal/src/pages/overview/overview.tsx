import type { IngestAnswer } from '../../../../src/client/answers.ts'
import { Figure, PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { mayDo, session } from '../../session/session.ts'
import { useAsk } from '../../shell/asking.ts'
import { useStore } from '../../shell/store.ts'
import { EntityTable } from './entity-table.tsx'
import { Health } from './health.tsx'
import { Incoming } from './incoming.tsx'
import { IngestsByTrouble } from './ingests-by-trouble.tsx'
import { OwnAccess } from './own-access.tsx'
import { ServiceFigures } from './service-figures.tsx'
import { useMetrics } from './watch-rates.ts'

/** All of them: an operator has hundreds at most. */
async function allIngests(client: Parameters<Parameters<typeof useAsk>[0]>[0]): Promise<readonly IngestAnswer[]> {
  const found: IngestAnswer[] = []
  for (let token: string | null | undefined; token !== null; ) {
    const page = await client.ingests({ limit: 1000, ...(token && { token }) })
    found.push(...page.Items)
    token = page.NextToken
  }
  return found
}

export function Overview() {
  useStore(session)
  return mayDo('admin') ? <OperatorOverview /> : <ReaderOverview />
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
        {ingests.value === null ? <Waiting /> : <IngestsByTrouble ingests={ingests.value} />}
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
