import { useState } from 'preact/hooks'
import type { AuditAnswer } from '../../../../src/client/answers.ts'
import { TextField } from '../../parts/inputs.tsx'
import { Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { useQuery } from '../../shell/asking.ts'

const shownLines = 50

/** The newest administrative changes. */
export function Audit() {
  const [who, setWho] = useState('')
  const whose = who.trim() === '' ? {} : { who: who.trim() }
  const changes = useQuery((client) => client.audit({ ...whose, limit: shownLines }), ['audit', who], {
    everyMs: 15_000,
  })
  const { value } = changes
  return (
    <Panel title="Changes">
      <div class="inside grid-form ends">
        <TextField label="By a subscriber, or a key by its id" value={who} onValue={setWho} type="search" mono />
      </div>
      <ProblemNote error={changes.error} />
      {value === null && changes.error === null && <Waiting />}
      {value?.Items.length === 0 && <p class="inside">There is no such change.</p>}
      {value !== null && value.Items.length > 0 && (
        <TableFrame name="Changes">
          <thead>
            <tr>
              <th>When</th>
              <th>Who</th>
              <th>What</th>
              <th>Name</th>
              <th>Before and after</th>
            </tr>
          </thead>
          <tbody>
            {value.Items.map((line) => (
              <Line key={`${line.time} ${line.request} ${line.what} ${JSON.stringify(line.after)}`} line={line} />
            ))}
          </tbody>
        </TableFrame>
      )}
      {value !== null && value.NextToken !== null && (
        <p class="inside soft small">
          The newest {shownLines} are shown. <code>tidemark audit</code> shows all.
        </p>
      )}
    </Panel>
  )
}

function Line({ line: { time, subscriber, key, address, what, name, before, after } }: { readonly line: AuditAnswer }) {
  return (
    <tr>
      <td class="tight">
        <Time iso={time} />
      </td>
      <td title={[key === null ? null : `key ${key}`, address].filter((part) => part !== null).join(', ')}>
        {subscriber ?? address ?? <span class="soft">the service</span>}
      </td>
      <td class="mono tight">{what}</td>
      <td class="main mono">{name}</td>
      <td class="wide-cell">
        {before === null && after === null ? null : (
          <details>
            <summary>{before === null ? 'after' : after === null ? 'before' : 'before and after'}</summary>
            {before !== null && <pre>{JSON.stringify(before, null, 2)}</pre>}
            {after !== null && <pre>{JSON.stringify(after, null, 2)}</pre>}
          </details>
        )}
      </td>
    </tr>
  )
}
