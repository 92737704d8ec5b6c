import { Empty, Panel } from '../../parts/layout.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { session } from '../../session/session.ts'
import { useStore } from '../../shell/store.ts'

/** The rights of this tab's key, and when they end. */
export function OwnAccess() {
  const own = useStore(session)?.own ?? null
  if (own === null) {
    return (
      <Panel title="Your access">
        <Empty title="You look without a key">
          <p>On this machine everyone may read. To push rows, or to operate the service, sign in with a key.</p>
        </Empty>
      </Panel>
    )
  }
  return (
    <Panel title="Your access" tools={<span class="soft small">{own.rights.join(', ')}</span>}>
      {own.subscriptions.length === 0 ? (
        <Empty title="No subscription">
          <p>
            A subscription defines which ingests you may push to and what you may read. The operator of this service
            adds them.
          </p>
        </Empty>
      ) : (
        <TableFrame name="Your subscriptions">
          <thead>
            <tr>
              <th>You may</th>
              <th>Name</th>
              <th>From</th>
              <th>Until</th>
              <th>Now</th>
            </tr>
          </thead>
          <tbody>
            {own.subscriptions.map((entry) => (
              <tr key={`${entry.ingest ?? ''} ${entry.entity ?? ''} ${entry.from ?? ''}`}>
                <td class="tight">
                  {entry.ingest == null ? 'read' : entry.entity == null ? 'push to' : 'push and read'}
                </td>
                <td class="main" dir="auto">
                  {entry.ingest === '*' || entry.entity === '*' ? 'everything' : (entry.ingest ?? entry.entity)}
                </td>
                <td class="tight">
                  {entry.from == null ? <span class="soft">always</span> : <Time iso={entry.from} />}
                </td>
                <td class="tight">
                  {entry.until == null ? <span class="soft">no end</span> : <Time iso={entry.until} />}
                </td>
                <td class="tight">
                  {entry.valid ? (
                    <span class="pill good">valid</span>
                  ) : (
                    <span class="pill bad">{entry.suspended === true ? 'suspended' : 'not valid now'}</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
    </Panel>
  )
}
