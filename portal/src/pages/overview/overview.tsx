import type { TidemarkClient } from '../../../../src/client/client.ts'
import { selfEntity } from '../../../../src/model/self-history.ts'
import { PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { mayDo, session } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { useStore } from '../../shell/store.ts'
import { allIngests } from '../ingests/all-ingests.ts'
import { EntityCards } from './entity-cards.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Health } from './health.tsx'
import { LookNow } from './look-now.tsx'
import { type Need, needsOf, type Rejecting } from './needs.ts'
import { OwnAccess } from './own-access.tsx'
import { type PlantState, plantState } from './plant-state.ts'
import { ServiceRow } from './service-row.tsx'
import { Verdict } from './verdict.tsx'

const plantEveryMs = 30_000
const partsEveryMs = 10_000
/** The most ingests whose rejected rows are counted. */
const countedMax = 10

const nothingRead: PlantState = { atMs: 0, entities: [], others: [] }

/** All ingests except the service's own, with the number of rows that need repair. Discarded and replayed rows do not count. */
async function rejecting(client: TidemarkClient): Promise<readonly Rejecting[]> {
  const ingests = (await allIngests(client)).filter(({ alias }) => alias !== selfEntity)
  const most = ingests.toSorted((a, b) => b.counters.rejected - a.counters.rejected).slice(0, countedMax)
  const counted = most.map(async (ingest): Promise<Rejecting> => {
    const kinds = ingest.counters.rejected === 0 ? [] : await client.rejectedSummary(ingest.alias)
    return { ingest, rows: kinds.reduce((sum, { count }) => sum + count, 0) }
  })
  const others = ingests.filter((ingest) => !most.includes(ingest)).map((ingest) => ({ ingest, rows: 0 }))
  return [...(await Promise.all(counted)), ...others]
}

/** The state of the data and of the service. */
export function Overview() {
  useStore(session)
  const operates = mayDo('admin')
  const watches = operates || mayDo('observe')
  const reads = operates || mayDo('consume')
  const plant = useQuery((client) => plantState(client, Date.now()), ['plant'], { everyMs: plantEveryMs, skip: !reads })
  const ready = useQuery((client) => client.readiness(), ['ready'], { everyMs: partsEveryMs })
  const ingests = useQuery(rejecting, ['ingests'], { everyMs: partsEveryMs, skip: !watches })
  const backups = useQuery((client) => client.backups({ limit: 1 }), ['backups'], { skip: !operates })
  const newest = backups.value?.Items[0]?.made
  const known = reads ? plant.value : nothingRead
  const needs = needsOf({
    nowMs: Date.now(),
    ready: ready.value,
    readyError: ready.error,
    plant: known,
    ingests: ingests.value ?? [],
    backupMs: newest === undefined ? null : Date.parse(newest),
  })
  const isEmpty = known?.entities.every(({ entity }) => entity.rows === 0) === true
  return (
    <>
      <PageHead title="Overview">
        <Health />
      </PageHead>
      <ProblemNote error={plant.error ?? ingests.error} />
      {known === null ? (
        plant.error === null && <Waiting />
      ) : (
        <>
          {reads && (
            <Verdict
              plant={known}
              needs={needs}
              toMend={ingests.value === null ? null : ingests.value.reduce((sum, { rows }) => sum + rows, 0)}
            />
          )}
          {reads && isEmpty && (
            <FirstSteps ingest={known.entities[0]?.entity.ingests[0] ?? null} onPushed={plant.again} />
          )}
          {!isEmpty && <EntityCards plant={known} />}
          {!isEmpty && <LookNow plant={known} />}
          <NeedList needs={needs} />
        </>
      )}
      {reads && watches && <ServiceRow ready={ready.value} />}
      {!operates && <OwnAccess />}
    </>
  )
}

const shownMax = 12

/** Lists problems only; renders nothing if there are none. */
function NeedList({ needs }: { readonly needs: readonly Need[] }) {
  if (needs.length === 0) return null
  return (
    <Panel title="Needs you">
      <ul class="needs">
        {needs.slice(0, shownMax).map(({ level, text, link }) => (
          <li key={text}>
            <span class={`pill ${level}`}>{level === 'bad' ? 'wrong' : 'look'}</span>
            {link === null ? <span>{text}</span> : <a href={link}>{text}</a>}
          </li>
        ))}
      </ul>
      {needs.length > shownMax && <p class="inside soft small">And {needs.length - shownMax} more.</p>}
    </Panel>
  )
}
