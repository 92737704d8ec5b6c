import { useState } from 'preact/hooks'
import type { MadeBackup } from '../../../../src/client/answers.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { bytesText, countText } from '../../parts/formats.ts'
import { PageHead, Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { clientOf } from '../../session/session.ts'
import { useAsk } from '../../shell/asking.ts'
import { storeOf, useStore } from '../../shell/store.ts'
import { tell } from '../../shell/toasts.tsx'
import { Health } from '../overview/health.tsx'
import { Incoming } from '../overview/incoming.tsx'
import { useMetrics } from '../overview/watch-rates.ts'
import { KeptEntities } from './kept-entities.tsx'
import { MetricTable } from './metric-table.tsx'

/** Backups that this tab made: the service keeps no list of them. */
const made = storeOf<readonly (MadeBackup & { readonly at: string })[]>([])

export function Operate() {
  const metrics = useMetrics(false)
  return (
    <>
      <PageHead title="Operate">
        <Health />
      </PageHead>
      <ProblemNote error={metrics.error} />
      <Incoming />
      <KeptEntities />
      <div class="columns">
        <Backups />
        <Storage />
      </div>
      {metrics.value !== null && <MetricTable metrics={metrics.value} />}
    </>
  )
}

function Backups() {
  const [asking, ask] = useState(false)
  const backups = useStore(made)
  const begin = (
    <button type="button" class="button" onClick={() => ask(true)}>
      Make a backup…
    </button>
  )
  return (
    <Panel title="Backups" tools={begin}>
      <div class="inside">
        <p class="soft">
          A consistent copy of the running service, in a folder of its own machine. <code>tidemark restore</code> makes
          a data folder of it, <code>tidemark verify</code> proves it.
        </p>
        {backups.length > 0 && (
          <dl class="pairs">
            {backups.map(({ path, bytes, at }) => (
              <>
                <dt key={`${path} at`} class="number">
                  {at}
                </dt>
                <dd key={path}>
                  <code>{path}</code>, {bytesText(bytes)}
                </dd>
              </>
            ))}
          </dl>
        )}
      </div>
      {asking && (
        <AskFirst
          title="Make a backup"
          deed="Make it"
          onClose={() => ask(false)}
          onDeed={async (signal) => {
            const backup = await clientOf(signal).makeBackup()
            made.set([{ ...backup, at: new Date().toISOString().slice(0, 19).replace('T', ' ') }, ...made.get()])
            tell(`The backup is made: ${bytesText(backup.bytes)}.`)
          }}
        >
          <p>Pushes and queries go on meanwhile.</p>
        </AskFirst>
      )}
    </Panel>
  )
}

function Storage() {
  const ready = useAsk((client) => client.readiness(), ['storage'], { everyMs: 5000 })
  const { store, sql, setAside, cluster } = ready.value ?? {}
  return (
    <Panel title="Parts">
      <ProblemNote error={ready.error} />
      <dl class="inside pairs">
        {store !== undefined && (
          <>
            <dt>Store</dt>
            <dd>
              {store.ready ? 'answers' : 'starting'}; {countText(store.rows)} rows in {countText(store.files)} files,{' '}
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
        {setAside !== undefined && (
          <>
            <dt>Set aside</dt>
            <dd>{setAside.entries === 0 ? 'nothing' : `${setAside.entries} pushes, ${setAside.rows} rows`}</dd>
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
