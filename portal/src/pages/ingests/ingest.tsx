import { useState } from 'preact/hooks'
import { countText } from '../../parts/formats.ts'
import { Figure, PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { mayDo } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { Batches } from './batches.tsx'
import { Definition } from './definition.tsx'
import { DeleteIngest, StateChange } from './ingest-changes.tsx'
import { Rejected } from './rejected.tsx'
import { type ShownIngest, shownIngest } from './side.ts'

export function IngestPage({ alias }: { readonly alias: string }) {
  const ingest = useQuery((client) => shownIngest(client, alias), [alias], { everyMs: 5000 })
  const { value } = ingest
  return (
    <>
      <PageHead title={<bdi>{alias}</bdi>} above={{ name: 'Ingests', at: ['ingests'] }}>
        {value !== null && <StatePill ingest={value} />}
        {value !== null && mayDo('admin') && <Changes ingest={value} onChanged={ingest.again} />}
      </PageHead>
      <ProblemNote error={ingest.error} />
      {value === null ? (
        ingest.error === null && <Waiting />
      ) : (
        <>
          {value.state === 'blocked' && (
            <div class="note warn">
              <p>
                Pushes are refused with 423. Reason: <span dir="auto">{value.reason ?? 'none was given'}</span>
              </p>
            </div>
          )}
          <Counters ingest={value} />
          <Rejected ingest={value} onChanged={ingest.again} />
          <div class="columns">
            <Panel title="Definition">
              <Definition ingest={value} onChanged={ingest.again} />
            </Panel>
            <Batches alias={alias} />
          </div>
        </>
      )}
    </>
  )
}

function Counters({ ingest: { counters } }: { readonly ingest: ShownIngest }) {
  if (counters === undefined) return null
  const { received, stored, rejected, pending } = counters
  return (
    <dl class="figures">
      <Figure name="Received" value={countText(received)} />
      <Figure name="Stored" value={countText(stored)} />
      <Figure name="Rejected" value={countText(rejected)} bad={rejected > 0} />
      <Figure name="Waiting to be validated" value={countText(pending)} />
    </dl>
  )
}

function Changes({ ingest, onChanged }: { readonly ingest: ShownIngest; onChanged(): void }) {
  const [open, show] = useState<'state' | 'delete' | null>(null)
  const close = (): void => show(null)
  return (
    <div class="actions push-right">
      <button type="button" class="button" onClick={() => show('state')}>
        {ingest.state === 'active' ? 'Block…' : 'Unblock…'}
      </button>
      <button type="button" class="button danger" onClick={() => show('delete')}>
        Delete…
      </button>
      {open === 'state' && <StateChange ingest={ingest} onClose={close} onChanged={onChanged} />}
      {open === 'delete' && <DeleteIngest ingest={ingest} onClose={close} />}
    </div>
  )
}
