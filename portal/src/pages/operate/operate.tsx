import { useState } from 'preact/hooks'
import { bytesText, plural } from '../../parts/formats.ts'
import { PageHead, Panel } from '../../parts/layout.tsx'
import { metricsOf } from '../../parts/metrics-text.ts'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { mayDo, session } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { useStore } from '../../shell/store.ts'
import { Health } from '../overview/health.tsx'
import { Audit } from './audit.tsx'
import { Backups } from './backups.tsx'
import { EntitySizes } from './entity-sizes.tsx'
import { HistoryCharts } from './history-charts.tsx'
import { MetricCharts } from './metric-charts.tsx'
import { MetricTable } from './metric-table.tsx'
import { RetainedEntities } from './retained-entities.tsx'
import { SettingsTable } from './settings-table.tsx'

const metricsEveryMs = 3000

/** Read-only panels are shown with the right observe; changes, backups and settings need admin. */
export function Operate() {
  useStore(session)
  const operates = mayDo('admin')
  const metrics = useQuery(async (client) => metricsOf(await client.metrics()), ['metrics'], {
    everyMs: metricsEveryMs,
  })
  const [isKept, know] = useState(false)
  const [drawn, draw] = useState<readonly string[]>([])
  return (
    <>
      <PageHead title="Operate">
        <Health />
      </PageHead>
      <ProblemNote error={metrics.error} />
      {(operates || mayDo('consume')) && <HistoryCharts onKnown={know} />}
      <RetainedEntities />
      <EntitySizes />
      {operates && <Backups />}
      {operates && <Audit />}
      <Parts />
      {metrics.value !== null && (
        <>
          <MetricCharts
            metrics={metrics.value}
            chosen={drawn}
            isKept={isKept}
            onLeave={(name) => draw(drawn.filter((other) => other !== name))}
          />
          {operates && (
            <div class="capped">
              <SettingsTable />
            </div>
          )}
          <div class="capped">
            <MetricTable metrics={metrics.value} drawn={drawn} onDraw={(name) => draw([...drawn, name])} />
          </div>
        </>
      )}
    </>
  )
}

function Parts() {
  const ready = useQuery((client) => client.readiness(), ['parts'], { everyMs: 5000 })
  const { store, sql, quarantine, replica, cluster } = ready.value ?? {}
  return (
    <Panel title="Parts">
      <ProblemNote error={ready.error} />
      <dl class="inside pairs">
        {store !== undefined && (
          <>
            <dt>Store</dt>
            <dd>
              {store.ready ? 'answers' : 'starting'}; {plural(store.rows, 'row')} in {plural(store.files, 'file')},{' '}
              {bytesText(store.bytes)}
            </dd>
          </>
        )}
        {sql !== undefined && (
          <>
            <dt>SQL engine</dt>
            <dd>{sql.state}</dd>
          </>
        )}
        {quarantine !== undefined && (
          <>
            <dt>In quarantine</dt>
            <dd>
              {quarantine.entries === 0
                ? 'nothing'
                : `${plural(quarantine.entries, 'push', 'pushes')}, ${plural(quarantine.rows, 'row')}`}
            </dd>
          </>
        )}
        {replica !== undefined && (
          <>
            <dt>Copy elsewhere</dt>
            <dd>
              {replica.lagMs === 0 ? 'has everything' : `${Math.ceil(replica.lagMs / 1000)} s behind`}, up to position{' '}
              {replica.position}
              {replica.error !== null && `: ${replica.error}`}
            </dd>
          </>
        )}
        {cluster !== undefined &&
          (['kafka', 'druid', 'postgres'] as const).map((part) => (
            <>
              <dt key={`${part} name`}>{part}</dt>
              <dd key={part}>{cluster[part].reachable ? 'reached' : 'away'}</dd>
            </>
          ))}
        {(cluster?.druid.waiting.length ?? 0) > 0 && (
          <>
            <dt>Waiting for slots</dt>
            <dd>{cluster!.druid.waiting.join(', ')}</dd>
          </>
        )}
      </dl>
    </Panel>
  )
}
